"""The watch over a run on fake tensors: it repairs what it finds and goes on, so that one run shows every mismatch."""
from __future__ import annotations

from typing import Any, Callable, Optional

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
)
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_flatten, tree_map_only, tree_unflatten

from sinter_torch import operators, origins
from sinter_torch.fake.values import Values
from sinter_torch.mismatch import Mismatch
from sinter_torch.origins import Birth, Origin
from sinter_torch.watch import Names, Watch, argument_names

_NEEDS_VALUES = (DataDependentOutputException, DynamicOutputShapeException)


class FakeWatch(Watch):
    """A Watch above a FakeTensorMode. Mismatched tensors are moved to where the others are and the call goes on.

    Real tensors that an operator meets become fake ones of the same device, once each.
    """

    repairs = True

    def __init__(self, names: Names, found: Callable[[Mismatch], None], fake: FakeTensorMode) -> None:
        super().__init__(names, found)
        self.fake = fake
        self.values = Values()
        self.guessed = 0
        self.devices: set[torch.device] = set()
        self._fakes: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def fake_of(self, real: torch.Tensor, device: Optional[torch.device] = None, kind: str = "data") -> torch.Tensor:
        """The fake tensor of a real one, the same each time; on `device`, or where the real one is.

        It is called what the real one is called; one without a name is born here, as `kind`.
        """
        if isinstance(real, FakeTensor):
            return real
        known = self._fakes.get(id(real))
        if known is None:
            result = self.empty_like(real, device or real.device)
            self.values.keep_real(result, real)
            self.origins.mark(result, self.first_origin(real, kind))
            known = self._fakes[id(real)] = (real, result)
        return known[1]

    def first_origin(self, tensor: torch.Tensor, kind: str = "data") -> Origin:
        birth = self.names.birth(tensor)
        if birth is None:
            line, user_line = origins.lines_here()
            birth = Birth(kind, line=line, user_line=user_line)
        return Origin(birth, birth)

    def empty_like(self, tensor: torch.Tensor, device: torch.device, dtype: Optional[torch.dtype] = None) -> torch.Tensor:
        """A fake tensor of the same extents and strides, without a value."""
        extents = tuple(int(extent) for extent in tensor.shape)
        with self.fake:
            if tensor.layout != torch.strided:
                return torch.empty(extents, dtype=dtype or tensor.dtype, device=device)
            return torch.empty_strided(extents, tensor.stride(), dtype=dtype or tensor.dtype, device=device)

    def prepare(self, flat: list[Any], where: list[int]) -> None:
        for i in where:
            if not isinstance(flat[i], FakeTensor):
                flat[i] = self.fake_of(flat[i])
            self.devices.add(flat[i].device)
        super().prepare(flat, where)

    def moved(self, tensor: torch.Tensor, device: Optional[torch.device], dtype: Optional[torch.dtype]) -> torch.Tensor:
        result = self.empty_like(tensor, device or tensor.device, dtype)
        origin = self.origins.of(tensor)
        if origin is not None:
            self.origins.mark(result, origin)
        value = self.values.of(tensor)
        if value is not None and dtype is None:
            self.values.keep(result, value)
        return result

    def call(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        if operators.base_name(func) == "_local_scalar_dense":
            return self.scalar(args[0])
        try:
            result = func(*args, **kwargs)
        except _NEEDS_VALUES:
            return self.from_values(func, args, kwargs)
        except RuntimeError as error:
            if "same device" not in str(error):
                raise
            result = self.on_one_device(func, args, kwargs, error)
        for value in tree_flatten(result)[0]:
            if isinstance(value, FakeTensor):
                value.constant = None  # PyTorch would compute with it on a GPU that need not be there
        self.values.compute(func, args, kwargs, result)
        return result

    def scalar(self, tensor: torch.Tensor) -> Any:
        """The number in a 0-dim tensor, or one where it is not known."""
        value = self.values.of(tensor)
        if value is not None:
            with _disable_current_modes():
                return value.item()
        self.guessed += 1
        return True if tensor.dtype == torch.bool else 1.0 if tensor.dtype.is_floating_point else 1

    def from_values(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """The result of an operator whose output sizes depend on values, such as nonzero."""
        tensors = [value for value in tree_flatten((args, kwargs))[0] if isinstance(value, torch.Tensor)]
        if any(self.values.of(tensor) is None for tensor in tensors):
            self.guessed += 1
        real = self.values.run(func, args, kwargs, invent=True)

        def fake(value: torch.Tensor) -> torch.Tensor:
            result = self.empty_like(value, tensors[0].device)
            self.values.keep(result, value)
            return result

        return tree_map_only(torch.Tensor, fake, real)

    def on_one_device(self, func: Any, args: Any, kwargs: dict[str, Any], error: RuntimeError) -> Any:
        """Reports and repairs a call that the fake kernel refuses though no rule of operators.py does."""
        flat, spec = tree_flatten((args, kwargs))
        where = [i for i, value in enumerate(flat) if isinstance(value, torch.Tensor)]
        violation = operators.mixed_devices(flat, where)
        if violation is None:
            raise error
        self.judge(violation, operators.base_name(func), flat, where, argument_names(func, args, kwargs))
        args, kwargs = tree_unflatten(flat, spec)
        return func(*args, **kwargs)
