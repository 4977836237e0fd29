"""Watches every operator that PyTorch runs, and judges each call by the rules of operators.py."""
from __future__ import annotations

import contextlib
import dataclasses
import sys
from types import FrameType
from typing import Any, Callable, Iterator, Optional

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_unflatten

from sinter_torch import operators, origins
from sinter_torch.devices import short_dtype
from sinter_torch.mismatch import Mismatch, TensorFacts
from sinter_torch.operators import Violation
from sinter_torch.origins import Origin, Origins
from sinter_torch.walk import Walk, joined

_UNKNOWN = origins.Birth("unknown")


class Names:
    """What the tensors and modules that exist before the watching starts are called.

    Tensors are known by identity while this lives; it keeps them alive.
    """

    def __init__(self) -> None:
        self._walk = Walk()
        self._births: dict[int, tuple[torch.Tensor, origins.Birth]] = {}

    def add(self, root: Any, path: str = "") -> None:
        """Names everything that can be reached from `root`. A dict of names gives each of its values its name."""
        named = isinstance(root, dict) and all(isinstance(key, str) and key.isidentifier() for key in root)
        for name, value in root.items() if named and not path else [(path, root)]:
            for place in self._walk.places(value, name):
                self._births[id(place.tensor)] = (place.tensor, origins.birth_of_place(place))

    def add_argument(self, value: Any, name: str) -> None:
        """Names the tensors of an argument "name", "name['key']" and so on."""
        for place in self._walk.places(value, name):
            kind = "argument" if place.kind in ("given", "held") else place.kind
            birth = origins.Birth(kind, place.path) if kind == "argument" else origins.birth_of_place(place)
            self._births[id(place.tensor)] = (place.tensor, birth)

    @property
    def walk(self) -> Walk:
        """The walk behind the names: which modules, objects and containers were passed."""
        return self._walk

    def birth(self, tensor: torch.Tensor) -> Optional[origins.Birth]:
        found = self._births.get(id(tensor))
        return found[1] if found is not None else None

    def module_path(self, module: nn.Module) -> str:
        """The path of a known module, or "" for others."""
        return self._walk.modules.get(id(module), "")


def running_module(names: Names) -> tuple[str, str]:
    """Path and class of the innermost module on the stack; ("", "") outside of any.

    A module that is not known by name is called by the next known one around it, else by the class of the outermost, and the
    way from there.
    """
    frame: Optional[FrameType] = sys._getframe(1)
    running: list[nn.Module] = []
    while frame is not None and frame.f_code not in origins.OUTERMOST:
        module = frame.f_locals.get("self")
        if isinstance(module, nn.Module):
            running.append(module)
            if id(module) in names.walk.modules:
                break
        frame = frame.f_back
    if not running:
        return "", ""
    innermost, outer = running[0], running[-1]
    path = names.module_path(outer) if id(outer) in names.walk.modules else type(outer).__name__
    inside = next((name for name, child in outer.named_modules() if child is innermost), "")
    return joined(path, inside) if inside else path, type(innermost).__name__


def variable_name(tensor: torch.Tensor) -> str:
    """What the innermost code outside PyTorch calls this tensor object, or ""."""
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None:
        if not origins.is_skipped(frame.f_code.co_filename):
            for name, value in frame.f_locals.items():
                if value is tensor:
                    return name
            return ""
        frame = frame.f_back
    return ""


def argument_names(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """The operator's name for each flat argument, in the order of tree_flatten((args, kwargs))."""
    names: list[str] = []
    declared = [argument.name for argument in func._schema.arguments]
    for name, value in [*zip(declared, args), *kwargs.items()]:
        leaves = len(tree_flatten(value)[0])
        single = not isinstance(value, (list, tuple, dict))
        names += [name] if single else [f"{name}[{index}]" for index in range(leaves)]
    return names


def is_composite(func: Any) -> bool:
    """Whether PyTorch defines this operator by other operators alone."""
    has = getattr(func, "has_kernel_for_dispatch_key", None)
    return has is not None and bool(has(torch._C.DispatchKey.CompositeImplicitAutograd))


class Watch(TorchDispatchMode):
    """Sees every operator below autograd. Calls `found` with each mismatch, then repairs the call, or lets it fail.

    found: gets the Mismatch; what it raises ends the call. names: what existing tensors and modules are called.
    Whether a call is repaired by moving the tensors is decided by `repairs`.
    """

    repairs = False

    def __init__(self, names: Names, found: Callable[[Mismatch], None], dtypes: bool = True) -> None:
        super().__init__()
        self.names = names
        self.found = found
        self.dtypes = dtypes
        self.origins = Origins()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Optional[dict[str, Any]] = None) -> Any:
        kwargs = kwargs or {}
        flat, spec = tree_flatten((args, kwargs))
        where = [i for i, value in enumerate(flat) if isinstance(value, torch.Tensor)]
        if len(where) == 1 and operators.base_name(func) == "device":
            return func(*args, **kwargs)
        if is_composite(func):  # arrives whole in inference mode; the rules are about its parts
            with self:
                result = func.decompose(*args, **kwargs)
            if result is not NotImplemented:
                return result
        self.prepare(flat, where)
        if len(where) > 1:
            names = argument_names(func, args, kwargs)
            self.judge(operators.device_violation(func, flat, where), operators.base_name(func), flat, where, names)
            if self.dtypes:
                self.judge(operators.dtype_violation(func, flat, where), operators.base_name(func), flat, where, names)
        args, kwargs = tree_unflatten(flat, spec)
        result = self.call(func, args, kwargs)
        inputs = [flat[i] for i in where]
        bound: Optional[list[torch.Tensor]] = None
        for value in tree_flatten(result)[0]:
            if isinstance(value, torch.Tensor):
                if bound is None and len(inputs) > 1 and value.device.type == "cpu":
                    bound = [flat[i] for i in operators.bound(func, flat, where)]
                self.origins.mark_result(value, inputs, operators.base_name(func), bound)
        return result

    def prepare(self, flat: list[Any], where: list[int]) -> None:
        """Gives each tensor argument that has no origin yet the one of its name."""
        for i in where:
            if self.origins.of(flat[i]) is None:
                self.origins.mark(flat[i], self.first_origin(flat[i]))

    def first_origin(self, tensor: torch.Tensor) -> Origin:
        """The origin of a tensor that no watched operator made."""
        birth = self.names.birth(tensor) or _UNKNOWN
        return Origin(birth, birth)

    def call(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Runs the operator."""
        return func(*args, **kwargs)

    def moved(self, tensor: torch.Tensor, device: Optional[torch.device], dtype: Optional[torch.dtype]) -> torch.Tensor:
        """The tensor as the call needs it; used where `repairs`."""
        return tensor.to(device=device or tensor.device, dtype=dtype or tensor.dtype)

    def judge(self, violation: Optional[Violation], op: str, flat: list[Any], where: list[int],
              names: list[str]) -> None:
        """Reports a violation, and repairs the flat arguments in place where this watch does that."""
        if violation is None:
            return
        first = self.mismatch(violation, op, flat, where, names)
        self.found(first)
        if self.repairs:
            for other in self.others(first, flat, where):
                self.found(other)
            for i in violation.wrong:
                flat[i] = self.moved(flat[i], violation.device, violation.dtype)

    def mismatch(self, violation: Violation, op: str, flat: list[Any], where: list[int], names: list[str]) -> Mismatch:
        """The record of a violation, taken from the stack as it is now."""
        module, module_class = running_module(self.names)
        line, user_line = origins.lines_here()
        tensors = tuple(self.facts(flat[i], names[i], violation.kind) for i in where)
        wanted = str(violation.device) if violation.dtype is None else short_dtype(violation.dtype)
        return Mismatch(violation.kind, op, module, module_class, line, user_line, tensors,
                        tuple(where.index(i) for i in violation.wrong), wanted)

    def others(self, first: Mismatch, flat: list[Any], where: list[int]) -> list[Mismatch]:
        """The mismatch once more for every other tensor that needs a repair of its own: the further ones out of place, and
        those that took part in computing one."""
        if first.kind != "device":
            return []
        told = [first]
        for index in first.wrong:
            origin = self.origins.of(flat[where[index]])
            for birth in (first.tensors[index].birth, *(origin.others if origin is not None else ())):
                facts = dataclasses.replace(first.tensors[index], birth=birth,
                                            derived=first.tensors[index].derived or birth != first.tensors[index].birth)
                tensors = (*first.tensors[:index], facts, *first.tensors[index + 1:])
                rest = tuple(i for i in first.wrong if i != index)
                mismatch = dataclasses.replace(first, tensors=tensors, wrong=(index, *rest))
                if all(not origins.together(birth, other.culprit.birth) for other in told):
                    told.append(mismatch)
        return told[1:]

    def facts(self, tensor: torch.Tensor, argument: str, kind: str) -> TensorFacts:
        origin = self.origins.of(tensor) or self.first_origin(tensor)
        birth = origin.dtype if kind == "dtype" else origin.device
        return TensorFacts(argument, str(tensor.device), short_dtype(tensor.dtype), tuple(int(x) for x in tensor.shape),
                           birth, variable_name(tensor), origin.derived)


class CompositeWatch(TorchFunctionMode):
    """Judges the few functions that compare devices themselves, before any operator runs; see operators.COMPOSITE."""

    def __init__(self, watch: Watch) -> None:
        super().__init__()
        self.watch = watch
        self._paused = False

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Lets every call pass unjudged inside."""
        self._paused = True
        try:
            yield
        finally:
            self._paused = False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Optional[dict[str, Any]] = None) -> Any:
        kwargs = kwargs or {}
        rule = None if self._paused else operators.COMPOSITE.get(getattr(func, "__name__", ""))
        if rule is not None:
            args, kwargs = self.judged(func.__name__, list(args), dict(kwargs), *rule)
        return func(*args, **kwargs)

    def judged(self, op: str, args: list[Any], kwargs: dict[str, Any], named: tuple[str, ...],
               dtypes: bool) -> tuple[list[Any], dict[str, Any]]:
        """The arguments, repaired where the watch repairs."""
        values = args[:len(named)] + [kwargs.get(name) for name in named[len(args):]]
        where = [i for i, value in enumerate(values) if isinstance(value, torch.Tensor)]
        self.watch.prepare(values, where)
        self.watch.judge(operators.mixed_devices(values, where), op, values, where, list(named))
        if dtypes and self.watch.dtypes:
            self.watch.judge(operators.mixed_dtypes(values, where), op, values, where, list(named))
        kwargs.update((named[i], values[i]) for i in range(len(args), len(values)) if named[i] in kwargs)
        return values[:len(args)] + args[len(named):], kwargs
