"""Moving everything in a nested value to one device."""
from __future__ import annotations

import collections
import copy
import dataclasses
import types
from typing import Any, Optional

import torch
from torch import nn

from sinter_torch.devices import DeviceLike


def to_device(value: Any, device: DeviceLike, dtype: Optional[torch.dtype] = None, *, arrays: bool = True,
              non_blocking: bool = False) -> Any:
    """`value` with every tensor in it on `device`.

    Goes into dicts, lists, tuples, named tuples, sets, deques, dataclasses (frozen ones too), user mappings such as
    BatchEncoding, and any object with a .to() of its own; the containers are new ones of the same type, what they share stays
    shared, and the value given is left as it is. Modules are the exception: they are moved in place, as Module.to() does.
    dtype: also casts floating-point tensors, and no others: token ids stay integers.
    arrays: NumPy arrays of numbers become tensors; else they stay arrays. Everything else is passed through.

    Raises RuntimeError for a device that cannot be had, TypeError for a mapping type that cannot be built from a dict.
    """
    return _Mover(torch.device(device), dtype, arrays, non_blocking).moved(value)


class _Mover:
    def __init__(self, device: torch.device, dtype: Optional[torch.dtype], arrays: bool, non_blocking: bool) -> None:
        self._device = device
        self._dtype = dtype
        self._arrays = arrays
        self._non_blocking = non_blocking
        self._done: dict[int, tuple[Any, Any]] = {}  # id -> the value, held so that the id stays its own, and the result

    def moved(self, value: Any) -> Any:
        if id(value) in self._done:
            return self._done[id(value)][1]
        if value is None or isinstance(value, (str, bytes, int, float, complex, bool, type, types.FunctionType,
                                               torch.dtype, torch.device, torch.Size, torch.Generator)):
            return value
        result = self._moved(value)
        self._done[id(value)] = (value, result)
        return result

    def _moved(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, nn.Module):
            return value.to(device=self._device, dtype=self._dtype) if self._dtype else value.to(self._device)
        if type(value).__module__ == "numpy" and type(value).__name__ == "ndarray":
            return self._array(value)
        if dataclasses.is_dataclass(value) and not isinstance(value, dict):
            return self._dataclass(value)
        if isinstance(value, (dict, collections.UserDict)):
            return self._mapping(value)
        if isinstance(value, tuple):
            items = [self.moved(item) for item in value]
            return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
        if isinstance(value, list):
            result = copy.copy(value)
            self._done[id(value)] = (value, result)  # before its items: a list may hold itself
            result[:] = [self.moved(item) for item in value]
            return result
        if isinstance(value, (set, frozenset)):
            return type(value)(self.moved(item) for item in value)
        if isinstance(value, collections.deque):
            return type(value)((self.moved(item) for item in value), value.maxlen)
        move = getattr(value, "to", None)
        return copy.copy(value).to(self._device) if callable(move) else value

    def _tensor(self, tensor: torch.Tensor) -> torch.Tensor:
        dtype = self._dtype if self._dtype is not None and tensor.dtype.is_floating_point else tensor.dtype
        return tensor.to(device=self._device, dtype=dtype, non_blocking=self._non_blocking)

    def _array(self, array: Any) -> Any:
        if not self._arrays or array.dtype.kind not in "biufc":
            return array
        # PyTorch takes neither a foreign byte order nor negative strides, and warns about arrays it may not write.
        native = array.astype(array.dtype.newbyteorder("="), copy=True, order="C")
        return self._tensor(torch.from_numpy(native))

    def _mapping(self, value: Any) -> Any:
        if dataclasses.is_dataclass(value):  # a ModelOutput: fields and items are two views of the same values
            output: Any = value
            return type(output)(**{key: self.moved(item) for key, item in output.items()})
        result = copy.copy(value)
        if isinstance(value, collections.UserDict):
            result.data = dict(value.data)
        self._done[id(value)] = (value, result)
        for key, item in value.items():
            result[key] = self.moved(item)
        return result

    def _dataclass(self, value: Any) -> Any:
        result = copy.copy(value)
        self._done[id(value)] = (value, result)
        for field in dataclasses.fields(value):
            if hasattr(value, field.name):
                object.__setattr__(result, field.name, self.moved(getattr(value, field.name)))
        return result
