"""to_device: every tensor of a nested value, in containers of the same types. The other device is meta."""
import collections
import dataclasses
import unittest

import torch
from torch import nn

from sinter_torch import to_device

try:
    import numpy
except ImportError:
    numpy = None

Pair = collections.namedtuple("Pair", "left right")


@dataclasses.dataclass(frozen=True)
class Conditions:
    embeddings: torch.Tensor
    note: str = "kept"


class Encoding(collections.UserDict):
    """Like BatchEncoding: a mapping that has a to() of its own, which works in place."""

    def to(self, device):
        self.data = {name: value.to(device) for name, value in self.data.items()}
        return self


class Mask:
    """No container, but it knows how to move."""

    def __init__(self, value):
        self.value = value

    def to(self, device):
        self.value = self.value.to(device)
        return self


class ToDevice(unittest.TestCase):

    def test_containers_keep_their_types(self):
        value = {"list": [torch.ones(1), 3], "tuple": (torch.ones(1), None), "pair": Pair(torch.ones(1), "x"),
                 "ordered": collections.OrderedDict(a=torch.ones(1)), "default": collections.defaultdict(list, a=torch.ones(1)),
                 "deque": collections.deque([torch.ones(1)], maxlen=2)}
        moved = to_device(value, "meta")
        self.assertEqual([type(x) for x in moved.values()], [type(x) for x in value.values()])
        self.assertEqual({t.device.type for t in (moved["list"][0], moved["tuple"][0], moved["pair"].left, moved["ordered"]["a"],
                                                  moved["default"]["a"], moved["deque"][0])}, {"meta"})
        self.assertEqual((moved["list"][1], moved["tuple"][1], moved["pair"].right, moved["deque"].maxlen), (3, None, "x", 2))
        self.assertEqual(value["list"][0].device.type, "cpu")

    def test_dataclasses_and_encodings_are_copied(self):
        given = Conditions(torch.ones(2))
        moved = to_device(given, "meta")
        self.assertEqual((type(moved), moved.embeddings.device.type, moved.note), (Conditions, "meta", "kept"))
        self.assertEqual(given.embeddings.device.type, "cpu")
        encoding = Encoding(input_ids=torch.ones(1, 7, dtype=torch.long))
        moved = to_device(encoding, "meta")
        self.assertEqual((type(moved), moved["input_ids"].device.type), (Encoding, "meta"))
        self.assertEqual(encoding["input_ids"].device.type, "cpu")

    def test_objects_that_can_move_do(self):
        mask = Mask(torch.ones(1))
        self.assertEqual(to_device([mask], "meta")[0].value.device.type, "meta")
        self.assertEqual(mask.value.device.type, "cpu")

    def test_only_floating_tensors_are_cast(self):
        moved = to_device({"x": torch.ones(1), "ids": torch.ones(1, dtype=torch.long)}, "cpu", torch.float16)
        self.assertEqual((moved["x"].dtype, moved["ids"].dtype), (torch.float16, torch.int64))

    def test_modules_move_in_place(self):
        module = nn.Linear(1, 1)
        self.assertIs(to_device([module], "meta")[0], module)
        self.assertEqual(module.weight.device.type, "meta")

    def test_what_is_shared_stays_shared_and_cycles_end(self):
        tensor = torch.ones(1)
        value = [tensor, {"same": tensor}]
        value.append(value)
        moved = to_device(value, "meta")
        self.assertIs(moved[0], moved[1]["same"])
        self.assertIs(moved[2], moved)

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_arrays_become_tensors_whatever_their_layout(self):
        array = numpy.arange(6, dtype=">f4").reshape(2, 3)[:, ::-1]
        array.setflags(write=False)
        moved = to_device({"a": array}, "cpu")["a"]
        self.assertEqual((moved.dtype, moved.tolist()), (torch.float32, [[2, 1, 0], [5, 4, 3]]))
        self.assertIs(to_device(array, "cpu", arrays=False), array)
        words = numpy.array(["a"])
        self.assertIs(to_device(words, "cpu"), words)
        self.assertEqual(to_device(numpy.ones(2), "cpu", torch.float16).dtype, torch.float16)


if __name__ == "__main__":
    unittest.main()
