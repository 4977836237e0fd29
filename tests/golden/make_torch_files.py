"""Small files as torch.save writes them, and what torch.load reads from each.

    python make_torch_files.py OUT_DIR       (torch 2.x, numpy)

OUT_DIR gets the files and expected.json: {file: {tensor: [dtype, shape, bytes in hexadecimal]}}, the
bytes row-major and little-endian, by torch.load and .contiguous(). Python's objects have no fixed
addresses, and the old stream has them as keys of storages, so its bytes differ from run to run.
"""
import collections
import io
import json
import pathlib
import sys

import numpy as np
import torch

torch.manual_seed(7)
OUT = pathlib.Path(sys.argv[1])
OUT.mkdir(parents=True, exist_ok=True)

DTYPES = {
    "F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16,
    "F8_E4M3": torch.float8_e4m3fn, "F8_E5M2": torch.float8_e5m2,
    "I64": torch.int64, "I32": torch.int32, "I16": torch.int16, "I8": torch.int8,
    "U64": torch.uint64, "U32": torch.uint32, "U16": torch.uint16, "U8": torch.uint8, "BOOL": torch.bool,
    "C64": torch.complex64, "C128": torch.complex128, "C32": torch.complex32,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


def numbers(shape, dtype=torch.float32):
    count = int(np.prod(shape)) if shape else 1
    base = torch.arange(count, dtype=torch.float32).reshape(shape) * 0.375 - 3
    if dtype in (torch.uint16, torch.uint32, torch.uint64):
        return torch.arange(count).reshape(shape).to(dtype)
    if dtype == torch.bool:
        return base > 0
    return base.to(dtype)


def raw(tensor):
    flat = tensor.detach().cpu().resolve_neg().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes().hex() if flat.numel() else ""


def flatten(value, prefix=""):
    """Names as a state dict has them."""
    if isinstance(value, torch.Tensor):
        return {prefix or "tensor": value}
    if isinstance(value, torch.nn.Module):
        return flatten(value.state_dict(), prefix)
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, (list, tuple)):
        items = enumerate(value)
    else:
        return {}
    found = {}
    for key, inner in items:
        found.update(flatten(inner, f"{prefix}.{key}" if prefix else str(key)))
    return found


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.GroupNorm(2, 4))
        self.conv = torch.nn.Conv2d(2, 3, 3, bias=False)
        self.register_buffer("steps", torch.arange(3))
        self.register_buffer("scratch", torch.ones(2), persistent=False)


class Renamed(torch.Tensor):
    pass


def cases():
    whole = numbers([4, 6])
    for name, dtype in DTYPES.items():
        yield f"dtype-{name.lower()}.pt", {"a": numbers([3, 5], dtype), "b": numbers([2], dtype)}, {}
    for protocol in (2, 3, 4, 5):
        yield f"protocol-{protocol}.pt", {"a": whole, "名": whole[1], "n": -1, "f": 0.5, "big": 2 ** 90, "s": {1, 2}}, dict(pickle_protocol=protocol)
        yield f"legacy-protocol-{protocol}.pt", {"a": whole, "b": numbers([3], torch.float16)}, dict(pickle_protocol=protocol, _use_new_zipfile_serialization=False)
    yield "scalar.pt", {"a": torch.tensor(2.5), "b": torch.tensor(True)}, {}
    yield "empty.pt", {"a": torch.zeros(0, 3), "b": torch.zeros(3, 0, dtype=torch.int64), "c": torch.ones(1)}, {}
    yield "transposed.pt", {"a": whole.t(), "b": numbers([2, 3, 4]).permute(2, 0, 1)}, {}
    yield "strided.pt", {"a": whole[::2, 1::3], "b": whole[:, 2], "c": whole[1:3]}, {}
    yield "negative.pt", {"a": torch._neg_view(whole), "b": torch._neg_view(numbers([3], torch.float16)), "c": torch._neg_view(whole)[:, ::2], "d": whole}, {}
    yield "expanded.pt", {"a": whole[:1].expand(5, 6), "b": torch.ones(1).expand(2, 3, 4)}, {}
    yield "channels-last.pt", {"a": numbers([2, 3, 4, 5]).to(memory_format=torch.channels_last)}, {}
    yield "shared.pt", {"a": whole, "b": whole, "c": whole[2:], "d": whole.view(-1)[5:11]}, {}
    yield "legacy-views.pt", {"a": whole.t(), "b": whole[1:3, ::2], "c": whole}, dict(_use_new_zipfile_serialization=False)
    yield "legacy-dtypes.pt", {name: numbers([3], dtype) for name, dtype in DTYPES.items() if name in ("F64", "F32", "F16", "BF16", "I64", "I32", "I16", "I8", "U8", "BOOL")}, dict(_use_new_zipfile_serialization=False)
    yield "parameters.pt", {"a": torch.nn.Parameter(whole), "b": torch.nn.Parameter(whole[0], requires_grad=False)}, {}
    yield "subclass.pt", {"a": whole.as_subclass(Renamed), "b": whole}, {}
    yield "state-dict.pt", Net().state_dict(), {}
    yield "module.pt", Net(), {}
    yield "nested.pt", {"outer": {"inner": [whole, {"x": whole[0]}], 3: whole[1]}, "t": (whole[2],)}, {}
    yield "list.pt", [whole, whole[1]], {}
    yield "tensor.pt", whole, {}
    yield "numpy.pt", {"a": whole, "loss": np.float64(0.5), "betas": np.linspace(0, 1, 3)}, {}
    yield "ordered.pt", collections.OrderedDict(a=whole, b=collections.OrderedDict(c=whole[0])), {}
    yield "default-dict.pt", collections.defaultdict(dict, a=whole), {}
    yield "optimizer.ckpt", {"state_dict": {"w": whole}, "epoch": 3, "optimizer_states": [{"state": {0: {"exp_avg": whole * 2}}}]}, {}
    yield "parameter-dict.pt", torch.nn.ParameterDict({"x": torch.nn.Parameter(whole)}), {}


def main():
    expected = {}
    for name, value, options in cases():
        data = io.BytesIO()
        torch.save(value, data, **options)
        (OUT / name).write_bytes(data.getvalue())
        data.seek(0)
        loaded = torch.load(data, weights_only=False)
        if isinstance(loaded, dict) and "state_dict" in loaded:
            loaded = loaded["state_dict"]
        expected[name] = {key: [NAMES[t.dtype], list(t.shape), raw(t)] for key, t in flatten(loaded).items()}
    (OUT / "expected.json").write_text(json.dumps(expected, indent=0, ensure_ascii=False) + "\n")
    print(len(expected), "files")


main()
