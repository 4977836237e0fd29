"""Stand-ins for what fake tensors cannot do by themselves: NumPy, loading and saving, Module.to(), the exporters."""
from __future__ import annotations

import functools
import sys
from typing import Any, Callable, Optional

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._pytree import tree_map_only

from sinter_torch import origins
from sinter_torch.exporters import ExportCall, replace_exporters
from sinter_torch.fake.mode import FakeWatch
from sinter_torch.fake.stage import parameter_of
from sinter_torch.origins import Birth, Origin
from sinter_torch.patches import Patches


def keep_data_assignments(patches: Patches, watch: FakeWatch) -> None:
    """`x.data = y` gives x the device of y, as it does for real tensors."""
    real = torch.Tensor.data

    def assign(self: torch.Tensor, value: torch.Tensor) -> None:
        value = watch.fake_of(value)
        real.__set__(self, value)  # type: ignore[attr-defined]
        if isinstance(self, FakeTensor) and isinstance(value, FakeTensor):
            self.fake_device = value.fake_device
            origin = watch.origins.of(value)
            if origin is not None:
                watch.origins.mark(self, origin)

    data = property(lambda self: real.__get__(self), assign)  # type: ignore[attr-defined]
    patches.set(FakeTensor, "data", lambda _: data)


def name_parameters(patches: Patches, watch: FakeWatch) -> None:
    """What modules are given during the run is called by the module's class and its name there: parameters, buffers, and plain
    attributes, whose birthplace is the assignment that should have been a register_buffer()."""

    def make(kind: str) -> Callable[[Any], Any]:
        def wrap(real: Any) -> Any:
            @functools.wraps(real)
            def register(self: nn.Module, name: str, tensor: Optional[torch.Tensor], *args: Any, **kwargs: Any) -> None:
                real(self, name, tensor, *args, **kwargs)
                if isinstance(tensor, FakeTensor):
                    _name_here(watch, kind, self, name, tensor)
            return register
        return wrap

    def wrap_setattr(real: Any) -> Any:
        def setattr_(self: nn.Module, name: str, value: Any) -> None:
            real(self, name, value)
            if isinstance(value, FakeTensor) and name in vars(self):
                origin = watch.origins.of(value)
                if origin is None or origin.device.kind in ("made", "data", "loaded"):
                    _name_here(watch, "attribute", self, name, value)
        return setattr_

    patches.set(nn.Module, "__setattr__", wrap_setattr)
    patches.set(nn.Module, "register_parameter", make("parameter"))
    patches.set(nn.Module, "register_buffer", make("buffer"))


def _name_here(watch: FakeWatch, kind: str, module: nn.Module, name: str, tensor: torch.Tensor) -> None:
    """Calls a tensor `name` of `module`, born at the line that runs; a name that it has already stays."""
    old = watch.origins.of(tensor)
    path = old.device.name if old is not None and old.device.kind == kind else ""
    path = path or f"{watch.names.module_path(module) or type(module).__name__}.{name}"
    line, user_line = origins.lines_here()
    birth = Birth(kind, path, line=line, user_line=user_line)
    watch.origins.mark(tensor, Origin(birth, birth))


def keep_module_moves(patches: Patches, watch: FakeWatch) -> None:
    """Module.to(), cuda(), half() and so on replace fake parameters: PyTorch cannot move those in place."""

    def placed(kind: str, module: nn.Module, name: str, old: torch.Tensor, new: torch.Tensor) -> torch.Tensor:
        if new is old:
            return old
        origin = watch.origins.of(old)
        new = parameter_of(new, old.requires_grad) if kind == "parameter" else new
        if origin is not None:
            watch.origins.mark(new, origin)
        _name_here(watch, kind, module, name, new)
        return new

    def apply(self: nn.Module, fn: Callable[[torch.Tensor], torch.Tensor], recurse: bool = True) -> nn.Module:
        if recurse:
            for child in self.children():
                child._apply(fn)
        tables: list[tuple[str, dict[str, Any]]] = [("parameter", self._parameters), ("buffer", self._buffers)]
        for kind, table in tables:
            for name, tensor in table.items():
                if tensor is not None:
                    with torch.no_grad():
                        table[name] = placed(kind, self, name, tensor, fn(tensor))
        return self

    patches.set(nn.Module, "_apply", lambda _: apply)


def read_by_numpy(patches: Patches, watch: FakeWatch, mismatch: Callable[[str, torch.Tensor], None]) -> None:
    """numpy(), tolist() and np.asarray() of a fake tensor: its values where they are known, else ones.

    mismatch(function, tensor) hears of tensors that NumPy could not read: those of a GPU, and bfloat16.
    """

    def value_of(tensor: torch.Tensor) -> torch.Tensor:
        with _disable_current_modes():
            value = watch.values.of(tensor)
            if value is None:
                watch.guessed += 1
                value = torch.ones(tuple(int(x) for x in tensor.shape), dtype=tensor.dtype)
            return value.detach().clone()

    def array(tensor: torch.Tensor, function: str) -> Any:
        if tensor.device.type != "cpu" or tensor.dtype == torch.bfloat16:
            mismatch(function, tensor)
        value = value_of(tensor)
        with _disable_current_modes():
            return (value.float() if value.dtype == torch.bfloat16 else value).numpy()

    def dunder_array(self: torch.Tensor, dtype: Any = None, copy: Any = None) -> Any:
        found = array(self, "__array__")
        return found if dtype is None else found.astype(dtype)

    def tolist(self: torch.Tensor) -> Any:
        value = value_of(self)
        with _disable_current_modes():
            return value.tolist()

    patches.set(FakeTensor, "numpy", lambda _: lambda self, *args, **kwargs: array(self, "numpy"))
    patches.set(FakeTensor, "__array__", lambda _: dunder_array)
    patches.set(FakeTensor, "tolist", lambda _: tolist)


def load_and_save(patches: Patches, watch: FakeWatch) -> None:
    """torch.load reads for real and puts the tensors, as fakes, where a machine with a GPU would; torch.save writes nothing."""

    def make(real: Any) -> Any:
        @functools.wraps(real)
        def load(f: Any, map_location: Any = None, *args: Any, **kwargs: Any) -> Any:
            saved_on: dict[int, str] = {}

            def on_cpu(storage: Any, location: str) -> Any:
                saved_on[storage.data_ptr()] = location
                return storage

            with _disable_current_modes():
                loaded = real(f, on_cpu, *args, **kwargs)

            def fake(tensor: torch.Tensor) -> torch.Tensor:
                location = saved_on.get(tensor.untyped_storage().data_ptr(), "cpu")
                return watch.fake_of(tensor, _load_device(map_location, location), "loaded")

            return tree_map_only(torch.Tensor, fake, loaded)
        return load

    patches.set(torch, "load", make)
    patches.set(torch, "save", lambda _: lambda *args, **kwargs: None)


def open_safetensors(patches: Patches, watch: FakeWatch) -> None:
    """safetensors reads for real and gives fakes, also through names that were imported before the run."""
    real: Any = getattr(sys.modules.get("safetensors"), "safe_open", None)
    if real is None:
        return

    class Opened:
        """A safe_open whose tensors are fakes on the device that was asked for."""

        def __init__(self, filename: Any, framework: Any = "pt", device: Any = "cpu", **options: Any) -> None:
            self._device = torch.device("cpu" if device is None else device)
            self._file = real(filename, framework, **options)

        def __enter__(self) -> Opened:
            return self

        def __exit__(self, *error: Any) -> None:
            self._file.__exit__(*error)

        def __getattr__(self, name: str) -> Any:
            found = getattr(self._file, name)

            def read(*args: Any, **kwargs: Any) -> Any:
                with _disable_current_modes():
                    result = found(*args, **kwargs)
                    result = result[...] if name == "get_slice" else result
                return tree_map_only(torch.Tensor, lambda tensor: watch.fake_of(tensor, self._device, "loaded"), result)

            return read if callable(found) else found

    for module in list(sys.modules.values()):
        if getattr(module, "__dict__", {}).get("safe_open") is real:
            patches.set(module, "safe_open", lambda _: Opened)


def _load_device(map_location: Any, saved_on: str) -> torch.device:
    if isinstance(map_location, dict):
        map_location = map_location.get(saved_on, saved_on)
    if isinstance(map_location, (str, torch.device)):
        return torch.device(map_location)
    return torch.device(saved_on if map_location is None else "cpu")


class NotExported:
    """What a stand-in for an exporter returns: it takes every method and does nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: self


def call_instead_of_export(patches: Patches) -> None:
    """The exporters call the model once with the arguments they are given, as tracing would, and write no file."""

    def call_model(call: ExportCall) -> Any:
        call.run()
        return call.model if call.name == "trace" else NotExported()

    replace_exporters(patches, call_model)
    patches.set(torch.jit, "script", lambda _: lambda obj, *args, **kwargs: obj)
    patches.set(torch, "compile", lambda _: lambda model=None, **options: model if model is not None else lambda m: m)
