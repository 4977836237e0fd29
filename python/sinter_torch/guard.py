"""Stops a real run at the first device mismatch and says which module it is in and what the tensors are called."""
from __future__ import annotations

import contextlib
from types import TracebackType
from typing import Any, Optional

from torch import nn
from torch.utils._python_dispatch import _disable_current_modes

from sinter_torch.exporters import ExportCall, replace_exporters
from sinter_torch.language import Text, checked
from sinter_torch.mismatch import Mismatch
from sinter_torch.patches import Patches
from sinter_torch.watch import CompositeWatch, Names, Watch


class DeviceMismatch(RuntimeError):
    """The first mismatch of a guarded run; a RuntimeError as PyTorch's own is. `mismatch` has the facts."""

    def __init__(self, mismatch: Mismatch, lang: str = "en") -> None:
        super().__init__(_STOPPED.say(lang) + "\n" + mismatch.say(lang))
        self.mismatch = mismatch


_STOPPED = Text("device_guard stopped before PyTorch would:", "device_guard 在 PyTorch 报错之前停下：")


class DeviceGuard:
    """Context manager, and hook: watches the operators that run, on real tensors of any device.

    first: the first mismatch, or None. Enter it again and it starts afresh.
    """

    def __init__(self, module: Any, raises: bool, dtypes: bool, lang: str) -> None:
        self.first: Optional[Mismatch] = None
        self._module = module
        self._raises = raises
        self._dtypes = dtypes
        self._lang = lang
        self._inside: Optional[contextlib.ExitStack] = None
        self._hooks: list[Any] = []

    def __enter__(self) -> DeviceGuard:
        if self._inside is not None:
            raise RuntimeError("this device_guard is already entered; make another one")
        self.first = None
        names = Names()
        names.add(self._module)
        watch = Watch(names, self._found, dtypes=self._dtypes)
        composite = CompositeWatch(watch)
        patches = Patches()
        self._inside = contextlib.ExitStack()
        self._inside.callback(patches.undo)

        def run_then_export(call: ExportCall) -> Any:
            call.run()
            # Not watched: TorchScript's tracer loses values when operators pass through Python.
            with _disable_current_modes(), composite.paused():
                return call.export()

        replace_exporters(patches, run_then_export)
        self._inside.enter_context(watch)
        self._inside.enter_context(composite)
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if self._inside is not None:
            inside, self._inside = self._inside, None
            inside.__exit__(kind, error, trace)

    def attach(self) -> DeviceGuard:
        """Guards every forward of the module from now on, until detach().

        Raises TypeError where the guarded object is no module; use `with` there.
        """
        if not isinstance(self._module, nn.Module):
            raise TypeError(f"attach() needs a torch.nn.Module, and this is a {type(self._module).__name__}; use `with`")
        if not self._hooks:
            self._hooks = [
                self._module.register_forward_pre_hook(lambda module, args: self._enter_forward()),
                self._module.register_forward_hook(lambda module, args, result: self.__exit__(None, None, None),
                                                   always_call=True),
            ]
        return self

    def detach(self) -> None:
        """Takes the hooks of attach() away."""
        for hook in self._hooks:
            hook.remove()
        self._hooks = []
        self.__exit__(None, None, None)

    def _enter_forward(self) -> None:
        if self._inside is None:
            self.__enter__()

    def _found(self, mismatch: Mismatch) -> None:
        if self.first is None:
            self.first = mismatch
            if self._raises:
                raise DeviceMismatch(mismatch, self._lang)


def device_guard(module: Any, *, raises: bool = True, dtypes: bool = False, lang: str = "en") -> DeviceGuard:
    """Guards a module, a pipeline or any object whose tensors are to be called by their names.

    `with device_guard(pipe): pipe(prompt)` raises DeviceMismatch at the first operator whose tensors are on different
    devices, with the module's name, each tensor's name or birthplace, its device and the repair. Tensors that the guarded code
    makes are known by their line. device_guard(unet).attach() does so in every forward of that module until detach().

    raises: False only notes the first mismatch in `.first`, and PyTorch raises its own error.
    An exporter that is called inside first runs the model once under the guard, and then exports unguarded.
    dtypes: also stop where operators want one dtype and get two.

    Every operator is looked at in Python, so a guarded run is slower. One thread; the guard of a thread does not see others.
    """
    return DeviceGuard(module, raises, dtypes, checked(lang))
