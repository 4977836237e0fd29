"""Which operators refuse tensors on different devices or of different dtypes, and which of the tensors is out of place.

The rules are those of PyTorch's CUDA build. A generated check in front of most operators wants every tensor on one device;
operators whose row in PyTorch's own table says `device_check: NoCheck` leave that to TensorIterator, which lets 0-dim CPU
tensors in; a few cross devices by purpose.
"""
from __future__ import annotations

import functools
import os
from typing import Any, NamedTuple, Optional

import torch

# Operators whose purpose is to cross devices, or that only look at metadata.
CROSSING = frozenset({
    "copy_", "_to_copy", "copy", "_copy_from", "_copy_from_and_resize", "set_", "set_data", "lift", "lift_fresh",
    "lift_fresh_copy", "detach", "alias", "_local_scalar_dense", "device", "is_same_size", "_has_same_storage_numel",
    "fill_", "fill", "resize_", "resize_as_", "_pin_memory", "record_stream", "is_pinned", "empty_like", "zeros_like",
    "_reshape_alias",
    # lengths and offsets stay on the CPU here
    "_pack_padded_sequence", "_pack_padded_sequence_backward", "_pad_packed_sequence", "_ctc_loss", "_cudnn_ctc_loss",
    "_use_cudnn_ctc_loss", "expand_as", "view_as", "reshape_as", "type_as",
})
# Indices of these may be on the CPU while the indexed tensor is on a GPU, but not the other way round.
INDEXING = frozenset({"index", "_unsafe_index", "index_put", "index_put_", "_index_put_impl_", "_unsafe_index_put"})
# These want one floating dtype in all operands.
ONE_DTYPE = frozenset({
    "mm", "addmm", "bmm", "baddbmm", "addbmm", "mv", "addmv", "dot", "linear", "convolution", "_convolution",
    "convolution_overrideable", "_addmm_activation", "scaled_dot_product_attention",
    "_scaled_dot_product_flash_attention", "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_cudnn_attention", "_scaled_dot_product_flash_attention_for_cpu",
})
# Functions that compare their arguments themselves, before any operator runs: the names of those, and whether the dtype
# counts too.
COMPOSITE = {
    "scaled_dot_product_attention": (("query", "key", "value"), True),
    "conv1d": (("input", "weight", "bias"), True),
    "conv2d": (("input", "weight", "bias"), True),
    "conv3d": (("input", "weight", "bias"), True),
    "conv_transpose1d": (("input", "weight", "bias"), True),
    "conv_transpose2d": (("input", "weight", "bias"), True),
    "conv_transpose3d": (("input", "weight", "bias"), True),
    "quantile": (("input", "q"), False),
    "nanquantile": (("input", "q"), False),
}
# What TensorIterator-checked operators are called where PyTorch's own table is not installed with it.
_FALLBACK = frozenset({
    "add", "sub", "mul", "div", "rsub", "pow", "remainder", "fmod", "where", "maximum", "minimum", "eq", "ne", "lt", "le",
    "gt", "ge", "bitwise_and", "bitwise_or", "bitwise_xor", "logical_and", "logical_or", "logical_xor", "atan2", "lerp",
    "addcmul", "addcdiv", "copysign", "hypot", "floor_divide", "masked_fill", "fill", "xlogy", "logaddexp", "fmax", "fmin",
    "heaviside", "nextafter", "gcd", "lcm", "__lshift__", "__rshift__", "true_divide", "mse_loss", "smooth_l1_loss",
})


class Violation(NamedTuple):
    """Tensors of one call that may not meet.

    kind: "device" or "dtype". wrong: indices into the flat arguments. device, dtype: what the others have, which is what
    the wrong ones have to become for the call to go on.
    """

    kind: str
    wrong: tuple[int, ...]
    device: Optional[torch.device]
    dtype: Optional[torch.dtype]


def base_name(func: Any) -> str:
    """"add" for aten.add.Tensor."""
    return str(func._schema.name).rsplit("::", maxsplit=1)[-1]


def overload_name(func: Any) -> str:
    """"add.Tensor" for aten.add.Tensor, as PyTorch's own table spells it."""
    overload = func._schema.overload_name
    return base_name(func) + (f".{overload}" if overload else "")


@functools.lru_cache(maxsize=None)
def _unchecked() -> frozenset[str]:
    """Operators that say `device_check: NoCheck` in the table that PyTorch installs; empty where it has none."""
    try:
        import torchgen
        path = os.path.join(os.path.dirname(torchgen.__file__ or ""), "packaged", "ATen", "native",
                            "native_functions.yaml")
        with open(path, encoding="utf-8") as table:
            lines = table.readlines()
    except (ImportError, OSError):
        return frozenset()
    names, name = set(), ""
    for line in lines:
        if line.startswith("- func: "):
            name = line[len("- func: "):].split("(")[0]
        elif line.lstrip().startswith("device_check: NoCheck"):
            names.add(name)
    return frozenset(names)


def _lets_scalars_in(func: Any) -> bool:
    table = _unchecked()
    return overload_name(func) in table if table else base_name(func).rstrip("_") in _FALLBACK


def device_violation(func: Any, flat: list[Any], where: list[int]) -> Optional[Violation]:
    """The rule broken by the devices of a call, or None.

    func: an operator as __torch_dispatch__ gets it. flat: its flat arguments; where: the indices of the tensors in it.
    """
    name = base_name(func)
    if name in CROSSING or name.startswith(("_foreach_", "_fused_", "_amp_")):
        return None
    first = flat[where[0]].device
    if all(flat[i].device == first for i in where[1:]):
        return None
    if name in INDEXING:
        return _indexing_violation(name, flat, where)
    target = common_device(flat, where)
    wrong = [i for i in where if flat[i].device != target]
    if _lets_scalars_in(func):
        written = func._schema.is_mutable
        if written and flat[where[0]].device.type == "cpu":
            return Violation("device", (where[0],), target, None)
        wrong = [i for i in wrong if flat[i].dim() > 0 or flat[i].device.type != "cpu"]
    return Violation("device", tuple(wrong), target, None) if wrong else None


def _indexing_violation(name: str, flat: list[Any], where: list[int]) -> Optional[Violation]:
    target = flat[where[0]].device
    values = [where[-1]] if "put" in name else []
    indices = [i for i in where[1:] if i not in values]
    wrong = [i for i in indices if flat[i].device.type != "cpu" and flat[i].device != target]
    wrong += [i for i in values if flat[i].device != target and (flat[i].dim() > 0 or flat[i].device.type != "cpu")]
    if not wrong:
        return None
    if target.type == "cpu":  # the indexed tensor is the one that stayed behind
        return Violation("device", (where[0],), flat[wrong[0]].device, None)
    return Violation("device", tuple(wrong), target, None)


class _Stand(NamedTuple):
    """What the rules about devices ask of a tensor."""

    device: torch.device
    rank: int

    def dim(self) -> int:
        return self.rank


def bound(func: Any, flat: list[Any], where: list[int]) -> list[int]:
    """Those of `where` whose tensors would be out of place if all others were on an accelerator."""
    if len(where) < 2:
        return list(where)
    gpu = torch.device("cuda:0")
    found = []
    for i in where:
        stands = list(flat)
        for j in where:
            stands[j] = _Stand(flat[j].device if i == j else gpu, flat[j].dim())
        violation = device_violation(func, stands, where)
        if violation is not None and i in violation.wrong:
            found.append(i)
    return found


def dtype_violation(func: Any, flat: list[Any], where: list[int]) -> Optional[Violation]:
    """Likewise for floating dtypes."""
    return mixed_dtypes(flat, where) if base_name(func) in ONE_DTYPE else None


def mixed_dtypes(flat: list[Any], where: list[int]) -> Optional[Violation]:
    """Different floating dtypes among the tensors at `where`.

    The last tensor of a call is a weight as a rule and decides: addmm and baddbmm have their bias in front.
    """
    floating = [i for i in where if flat[i].dtype.is_floating_point]
    if len({flat[i].dtype for i in floating}) < 2:
        return None
    wanted = flat[floating[-1]].dtype
    return Violation("dtype", tuple(i for i in floating if flat[i].dtype != wanted), None, wanted)


def mixed_devices(flat: list[Any], where: list[int]) -> Optional[Violation]:
    """Tensors at `where` on another device than the rest, without any exception for small ones."""
    target = common_device(flat, where) if where else None
    wrong = tuple(i for i in where if flat[i].device != target)
    return Violation("device", wrong, target, None) if wrong else None


def common_device(flat: list[Any], where: list[int]) -> torch.device:
    """Where the tensors at `where` should have met: the first accelerator, else the CPU; meta tensors have no data to go by."""
    devices: list[torch.device] = [flat[i].device for i in where]
    return min(devices, key=lambda device: {"cpu": 1, "meta": 2}.get(device.type, 0))
