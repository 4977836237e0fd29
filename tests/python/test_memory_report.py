"""memory_report: the allocator's numbers in words."""
import unittest
from unittest import mock

import torch

from sinter_torch import memory_report
from sinter_torch.memory import from_stats

GIB = 1 << 30


def report(free=20, total=24, **stats):
    keys = {"allocated": "allocated_bytes.all.current", "reserved": "reserved_bytes.all.current",
            "split": "inactive_split_bytes.all.current", "peak": "allocated_bytes.all.peak"}
    given = {keys[name]: int(value * GIB) for name, value in stats.items() if name in keys}
    given.update({name: value for name, value in stats.items() if name.startswith("num_")})
    return from_stats(given, "cuda:0", "a GPU", total * GIB, free * GIB)


class MemoryReport(unittest.TestCase):

    def test_a_machine_without_a_gpu_says_so(self):
        with mock.patch("torch.cuda.is_available", return_value=False):
            found = memory_report()
            self.assertFalse(found.available)
            self.assertIn("no CUDA GPU", str(found))
            self.assertIn("没有找到 CUDA GPU", str(memory_report(lang="zh")))

    def test_other_devices_are_refused(self):
        with self.assertRaisesRegex(ValueError, "no CUDA device"):
            memory_report("cpu")

    def test_a_healthy_run_is_nothing_unusual(self):
        text = str(report(allocated=3, reserved=3.2, peak=5, free=20))
        self.assertIn("in tensors 3.0 GiB", text)
        self.assertIn("nothing unusual", text)

    def test_pieces_between_tensors_are_fragmentation(self):
        self.assertTrue(report(allocated=5, reserved=10, split=4).fragmented)
        self.assertIn("expandable_segments:True", str(report(allocated=5, reserved=10, split=4)))
        self.assertFalse(report(allocated=3, reserved=10, split=0.1).fragmented)
        self.assertIn("empty_cache()", str(report(allocated=3, reserved=10, split=0.1)))

    def test_other_users_failures_and_retries_are_told(self):
        text = str(report(allocated=3, reserved=3, peak=23, free=1, num_ooms=2, num_alloc_retries=5))
        for part in ("for want of memory: 2", "empty its cache 5 times", "another process", "within a tenth"):
            self.assertIn(part, text)

    @unittest.skipUnless(torch.cuda.is_available(), "there is no GPU")
    def test_a_real_gpu_is_read(self):
        kept = torch.ones(1 << 20, device="cuda")
        found = memory_report("cuda")
        self.assertTrue(found.available)
        self.assertGreaterEqual(found.allocated, kept.numel() * 4)


if __name__ == "__main__":
    unittest.main()
