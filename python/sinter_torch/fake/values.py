"""The real values of small fake tensors.

Code looks at some values while it runs: time steps, token ids, masks, sizes. A fake tensor has none, so small ones carry a
real CPU tensor beside them, and every operator whose inputs all have one is also computed for real.
"""
from __future__ import annotations

from typing import Any, Optional

import torch
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_flatten, tree_map_only

MAX_ELEMENTS = 8192
# A tensor of this size is made up where an operator cannot go on without values.
MAX_INVENTED = 1 << 22
_KEPT = "_sinter_value"
_CPU = torch.device("cpu")


class Values:
    """The values of one run. A value is dropped for good when something unknown is written over it."""

    def __init__(self) -> None:
        self._stale: dict[int, Any] = {}  # storages by address; held, so that no address comes twice

    def of(self, tensor: torch.Tensor) -> Optional[torch.Tensor]:
        """The real CPU tensor with this fake tensor's values, or None."""
        value: Optional[torch.Tensor] = getattr(tensor, _KEPT, None)
        if value is None or value.untyped_storage().data_ptr() in self._stale:
            return None
        return value

    def keep(self, tensor: torch.Tensor, value: Any) -> None:
        """Says that `value` has the values of `tensor`; ignored for large ones and for those that do not fit it."""
        if isinstance(value, torch.Tensor) and value.numel() <= MAX_ELEMENTS and value.shape == tensor.shape \
                and value.dtype == tensor.dtype and value.layout == torch.strided:
            setattr(tensor, _KEPT, value)

    def keep_real(self, tensor: torch.Tensor, real: torch.Tensor) -> None:
        """Likewise for a copy of a real tensor on any device that can be read."""
        if real.numel() <= MAX_ELEMENTS and real.device.type != "meta" and real.layout == torch.strided:
            with _disable_current_modes(), torch.no_grad():
                self.keep(tensor, real.detach().to("cpu", copy=True))

    def compute(self, func: Any, args: Any, kwargs: dict[str, Any], result: Any) -> None:
        """Computes a call for real where all values are known and small, and keeps the values of its results."""
        outputs = [value for value in tree_flatten(result)[0] if isinstance(value, torch.Tensor)]
        inputs = [value for value in tree_flatten((args, kwargs))[0] if isinstance(value, torch.Tensor)]
        known = all(self.of(tensor) is not None for tensor in inputs)
        if outputs and known and all(tensor.numel() <= MAX_ELEMENTS for tensor in outputs):
            try:
                real = self.run(func, args, kwargs)
            except Exception:  # what the CPU cannot do has no value; the fake run goes on
                self._forget_written(func, args, kwargs)
                return
            for tensor, value in zip(outputs, [v for v in tree_flatten(real)[0] if isinstance(v, torch.Tensor)]):
                self.keep(tensor, value)
        else:
            self._forget_written(func, args, kwargs)

    def run(self, func: Any, args: Any, kwargs: dict[str, Any], invent: bool = False) -> Any:
        """The call on real CPU tensors. Where `invent`, unknown values become ones; otherwise all must be known.

        Raises what the operator raises, and ValueError where too much would have to be invented.
        """
        def real(tensor: torch.Tensor) -> torch.Tensor:
            value = self.of(tensor)
            if value is not None:
                return value
            if not invent or tensor.numel() > MAX_INVENTED:
                raise ValueError(f"the values of a tensor of {tensor.numel()} elements are not known")
            return torch.ones(tuple(int(x) for x in tensor.shape), dtype=tensor.dtype)

        with _disable_current_modes(), torch.no_grad():
            args, kwargs = tree_map_only(torch.Tensor, real, (args, kwargs))
            args, kwargs = tree_map_only(torch.device, lambda _: _CPU, (args, kwargs))
            kwargs.pop("pin_memory", None)
            return func(*args, **kwargs)

    def _forget_written(self, func: Any, args: Any, kwargs: dict[str, Any]) -> None:
        if not func._schema.is_mutable:
            return
        written = {a.name for a in func._schema.arguments if a.alias_info is not None and a.alias_info.is_write}
        named = [*zip([a.name for a in func._schema.arguments], args), *kwargs.items()]
        for tensor in tree_flatten([value for name, value in named if name in written])[0]:
            value: Optional[torch.Tensor] = getattr(tensor, _KEPT, None)
            if value is not None:
                storage = value.untyped_storage()
                self._stale[storage.data_ptr()] = storage
