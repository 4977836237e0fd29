"""What is to be exported, and how: the arguments of preflight() and safe_export() in one value."""
from __future__ import annotations

import dataclasses
import inspect
import os
import re
from typing import Any, Mapping, Optional, Sequence, Union

import torch
from torch import nn
from torch.utils._pytree import tree_flatten, tree_unflatten

from sinter_torch.devices import DeviceLike, device_with_most, size_bytes

Axes = Mapping[str, Union[Mapping[int, str], Sequence[int]]]


def torch_version() -> tuple[int, int]:
    """(2, 5) for 2.5.1+cu121."""
    numbers = re.findall(r"\d+", torch.__version__)
    return int(numbers[0]), int(numbers[1])


@dataclasses.dataclass(frozen=True)
class Request:
    """An export. args, kwargs: the inputs of module.forward. Other fields: see safe_export()."""

    module: nn.Module
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    path: Optional[str]
    input_names: Optional[tuple[str, ...]]
    output_names: Optional[tuple[str, ...]]
    dynamic_axes: dict[str, dict[int, str]]
    opset: int
    dynamo: bool
    device: torch.device
    dtype: Optional[torch.dtype]

    @property
    def bound(self) -> list[tuple[str, Any]]:
        """The inputs with the names that forward gives them, in the order of forward; those left to defaults are absent."""
        try:
            bound = inspect.signature(self.module.forward).bind(*self.args, **self.kwargs)
        except (TypeError, ValueError):  # it fits no signature; the forward will say what is wrong
            return [(f"args[{i}]", value) for i, value in enumerate(self.args)] + list(self.kwargs.items())
        return list(bound.arguments.items())

    @property
    def tensors(self) -> list[tuple[str, torch.Tensor]]:
        """The tensors among the inputs, called as the graph will call them: by input_names where those are given."""
        found = [(parameter, leaf) for parameter, value in self.bound for leaf in tree_flatten(value)[0]
                 if isinstance(leaf, torch.Tensor)]
        names = self.input_names or ()
        return [(names[i] if i < len(names) else parameter, tensor) for i, (parameter, tensor) in enumerate(found)]

    @property
    def dynamic_shapes(self) -> dict[str, Any]:
        """dynamic_axes in the form that the dynamo exporter wants: every input of forward, nested as the input is."""
        named = iter(self.tensors)

        def shape(leaf: Any) -> Any:
            if not isinstance(leaf, torch.Tensor):
                return None
            axes = self.dynamic_axes.get(next(named)[0])
            return {axis: self._dimension(name) for axis, name in axes.items()} if axes else None

        shapes = {}
        for parameter, value in self.bound:
            leaves, spec = tree_flatten(value)
            shapes[parameter] = tree_unflatten([shape(leaf) for leaf in leaves], spec)
        return shapes

    @staticmethod
    def _dimension(name: str) -> Any:
        return name if torch_version() >= (2, 7) else torch.export.Dim(name)  # names alone are understood from 2.7


def request(module: nn.Module, args: Any, kwargs: Optional[Mapping[str, Any]], path: Union[str, os.PathLike[str], None],
            input_names: Optional[Sequence[str]], output_names: Optional[Sequence[str]], dynamic_axes: Optional[Axes],
            opset: int, dynamo: bool, device: Optional[DeviceLike], dtype: Optional[torch.dtype]) -> Request:
    """A Request with the defaults filled in: one input stands for (input,), axes without names get some, the device is the
    one that most bytes of the module are on.

    Raises TypeError where module is no torch.nn.Module.
    """
    if not isinstance(module, nn.Module):
        raise TypeError(f"an export needs a torch.nn.Module, and this is a {type(module).__name__}; of a pipeline take one "
                        "part, such as pipe.unet")
    args = args if isinstance(args, tuple) else tuple(args) if isinstance(args, list) else (args,)
    axes = {name: dict(given) if isinstance(given, Mapping) else {axis: f"{name}_dim_{axis}" for axis in given}
            for name, given in (dynamic_axes or {}).items()}
    return Request(module, args, dict(kwargs or {}), os.fspath(path) if path is not None else None,
                   tuple(input_names) if input_names is not None else None,
                   tuple(output_names) if output_names is not None else None, axes, opset, dynamo,
                   torch.device(device) if device is not None else home_device(module), dtype)


def home_device(module: nn.Module) -> torch.device:
    """The device that most bytes of a module's parameters and buffers are on; the CPU for a module without any."""
    sizes: dict[torch.device, int] = {}
    for tensor in [*module.parameters(), *module.buffers()]:
        sizes[tensor.device] = sizes.get(tensor.device, 0) + size_bytes(tensor)
    return device_with_most(sizes) or torch.device("cpu")
