"""What a run on fake tensors may change in the user's objects, and putting all of it back."""
from __future__ import annotations

import collections
import gc
from typing import Any, Callable, Optional

import torch
from torch import nn

from sinter_torch.walk import Walk


class Stage:
    """The state of every living module and of every object and container of `walk`, taken when this is made.

    restore() puts it back: attributes, parameters, buffers, submodules, items of lists and dicts. The elements of tensors
    are never written by a fake run.
    """

    def __init__(self, walk: Walk) -> None:
        self.modules = living_modules()
        self._lists: list[tuple[list[Any], list[Any]]] = []
        self._dicts: list[tuple[dict[Any, Any], dict[Any, Any]]] = []
        for value in [*self.modules, *walk.objects]:
            self._dicts.append((value.__dict__, dict(value.__dict__)))
        for module in self.modules:
            for table in (module._parameters, module._buffers, module._modules):
                self._dicts.append((table, dict(table)))
        for container in walk.containers:
            if isinstance(container, list):
                self._lists.append((container, list(container)))
            elif isinstance(container, collections.UserDict):
                self._dicts.append((container.data, dict(container.data)))
            elif isinstance(container, dict):
                self._dicts.append((container, dict(container)))

    def put_on_stage(self, fake_of: Callable[[torch.Tensor, Optional[torch.device]], torch.Tensor],
                     device: Optional[torch.device], moved: set[int]) -> None:
        """Replaces the parameters and buffers of every module by fake ones.

        device: where those of the modules in `moved` (ids) go, as Module.to(device) would put them; None: they stay.
        """
        for module in sorted(self.modules, key=lambda m: id(m) not in moved):  # a shared tensor goes with the moved module
            target = device if id(module) in moved else None
            for name, parameter in module._parameters.items():
                if parameter is not None:
                    module._parameters[name] = parameter_of(fake_of(parameter, target), parameter.requires_grad)
            for name, buffer in module._buffers.items():
                if buffer is not None:
                    module._buffers[name] = fake_of(buffer, target)

    def restore(self) -> None:
        for table, state in self._dicts:
            if table.keys() != state.keys() or any(table[key] is not state[key] for key in state):
                table.clear()
                table.update(state)
        for sequence, items in self._lists:
            sequence[:] = items


def living_modules() -> list[nn.Module]:
    """Every module that exists; a fake run may call and move any of them."""
    return [value for value in gc.get_objects() if issubclass(type(value), nn.Module) and "_parameters" in vars(value)]


def parameter_of(tensor: torch.Tensor, requires_grad: bool) -> nn.Parameter:
    """A parameter around a fake tensor that keeps what the tensor is marked with."""
    parameter = nn.Parameter(tensor, requires_grad=requires_grad)
    for name, value in vars(tensor).items():
        if name.startswith("_sinter_"):
            setattr(parameter, name, value)
    return parameter
