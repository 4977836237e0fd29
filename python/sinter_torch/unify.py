"""One device and one dtype for a while: what is elsewhere is moved, and put back afterwards."""
from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Optional

import torch
from torch import nn

from sinter_torch.devices import agrees
from sinter_torch.move import to_device
from sinter_torch.walk import Place, places


@contextlib.contextmanager
def unified(module: nn.Module, device: torch.device, dtype: Optional[torch.dtype]) -> Iterator[None]:
    """Inside, every tensor that `module` reaches by itself is on `device`, unregistered ones too, and with `dtype` every
    floating parameter and buffer has it. Afterwards the original tensors are back; only what was off is copied meanwhile.
    """
    undo: list[Callable[[], Any]] = []
    try:
        attributes: dict[tuple[int, str], Place] = {}
        for place in places(module):
            if place.kind in ("parameter", "buffer") and _is_off(place.tensor, device, dtype):
                undo.append(_replace_registered(place, device, dtype))
            elif place.kind == "attribute" and place.owner is not None and _is_off(place.tensor, device, None):
                attributes.setdefault((id(place.owner), place.attribute), place)
        for place in attributes.values():
            undo.append(_replace_attribute(place, device))
        yield
    finally:
        for put_back in reversed(undo):
            put_back()


def _is_off(tensor: torch.Tensor, device: torch.device, dtype: Optional[torch.dtype]) -> bool:
    return not agrees(tensor.device, device) or (
        dtype is not None and tensor.dtype.is_floating_point and tensor.dtype != dtype)


def _replace_registered(place: Place, device: torch.device, dtype: Optional[torch.dtype]) -> Callable[[], Any]:
    tensor, owner = place.tensor, place.owner
    assert owner is not None  # parameters and buffers are found in modules only
    wanted = dtype if dtype is not None and tensor.dtype.is_floating_point else tensor.dtype
    if place.kind == "parameter":  # the object stays: tied weights and optimizers hold it
        original = tensor.data
        tensor.data = original.to(device=device, dtype=wanted)
        return lambda: setattr(tensor, "data", original)
    owner._buffers[place.attribute] = tensor.to(device=device, dtype=wanted)
    return lambda: owner._buffers.__setitem__(place.attribute, tensor)


def _replace_attribute(place: Place, device: torch.device) -> Callable[[], Any]:
    owner, name = place.owner, place.attribute
    original = vars(owner)[name]
    vars(owner)[name] = to_device(original, device, arrays=False)
    return lambda: vars(owner).__setitem__(name, original)
