"""An ONNX export that looks before it leaps, leaves the module as it was, and looks at what came out."""
from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib.util
import inspect
import os
import re
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, TypeVar, Union

import torch
from torch import nn
from torch.utils._pytree import tree_map_only

from sinter_torch.before_export import checklist_of
from sinter_torch.checklist import FAILURE, FIXABLE, Checklist
from sinter_torch.devices import DeviceLike
from sinter_torch.fake.gpu import can_pretend
from sinter_torch.find import find_mismatches
from sinter_torch.guard import DeviceMismatch, device_guard
from sinter_torch.language import Text, checked
from sinter_torch.module_checks import module_dtype, odd_inputs
from sinter_torch.move import to_device
from sinter_torch.onnx_checks import problems_of
from sinter_torch.request import Axes, Request, request
from sinter_torch.settings import default_device, restored_settings
from sinter_torch.unify import unified
from sinter_torch.walk import Walk, places

Function = TypeVar("Function", bound=Callable[..., Any])


class ExportRefused(RuntimeError):
    """The checklist has failures, so nothing was exported. `checklist` has them."""

    def __init__(self, checklist: Checklist) -> None:
        failures = "\n".join(check.say(checklist.lang) for check in checklist.of(FAILURE))
        super().__init__(_REFUSED.say(checklist.lang) + "\n" + failures)
        self.checklist = checklist


@dataclasses.dataclass(frozen=True)
class ExportResult:
    """An export that was written. checked: the package onnx was there and looked at the file. problems: what it, or a look at
    inputs, axes and opset, found; empty when the graph is what was asked for."""

    path: str
    checklist: Checklist
    checked: bool
    problems: tuple[str, ...]
    lang: str = "en"

    @property
    def ok(self) -> bool:
        return not self.problems

    def say(self, lang: Optional[str] = None) -> str:
        lang = lang or self.lang
        lines = [_WRITTEN.say(lang, path=self.path)]
        lines += [_PUT_RIGHT.say(lang, name=check.label(lang)) for check in self.checklist.of(FIXABLE)]
        lines += [f"  {problem}" for problem in self.problems]
        if not self.problems:
            lines.append((_CHECKED if self.checked else _UNCHECKED).say(lang))
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.say()


_REFUSED = Text("not exported; the checklist has failures:", "未导出，检查清单中有失败项：")
_WRITTEN = Text("wrote {path}", "已写出 {path}")
_PUT_RIGHT = Text("  put right for the export, and back afterwards: {name}", "  导出期间自动处理、随后已还原：{name}")
_CHECKED = Text("  onnx accepts the graph; inputs, axes and opset are as asked", "  onnx 检查通过；输入、动态维度和 opset 均符合要求")
_UNCHECKED = Text("  not checked: the package onnx is not installed", "  未检查：没有安装 onnx")
_FAILED = Text("what sinter_torch sees in a run of the module on fake tensors:", "sinter_torch 用伪张量运行模块时看到：")


def safe_export(module: nn.Module, args: Any, path: Union[str, os.PathLike[str]], *,
                kwargs: Optional[Mapping[str, Any]] = None, input_names: Optional[Sequence[str]] = None,
                output_names: Optional[Sequence[str]] = None, dynamic_axes: Optional[Axes] = None, opset: int = 17,
                dynamo: bool = False, device: Optional[DeviceLike] = None, dtype: Optional[torch.dtype] = None,
                check: bool = True, lang: str = "en", **options: Any) -> ExportResult:
    """Exports module(*args, **kwargs) to `path` with torch.onnx.export.

    First the checklist of preflight(): its failures refuse the export, what is fixable is put right while it lasts: eval mode,
    no gradients, no autocast, no default device, float32 as default dtype, one device for every tensor (unregistered ones too)
    and input. Then the export. Then, with the package onnx, its checker and a look at inputs, axes and opset. Afterwards the
    module, its training flags, devices and dtypes, and PyTorch's defaults are as they were, also after a failure.

    args, kwargs: inputs of forward, tensors on any device. input_names: one for each tensor, in the order of forward.
    dynamic_axes: name -> {axis: axis name}; for the dynamo exporter it is turned into dynamic_shapes.
    dynamo: False for the TorchScript exporter, True for the one that needs torch 2.5 and onnxscript; opset: 17 or more.
    device: where to export; None: where most of the module is. dtype: casts floating weights and inputs of two and more
    dimensions; None: they stay. check: False skips the look at the file. options go to torch.onnx.export.

    Raises ExportRefused when the checklist fails, TypeError where `module` is no module, ValueError for an unknown `lang`, and
    what the exporter raises; a RuntimeError about devices or dtypes gets a note that says which module and which tensors.
    """
    checked(lang)
    wanted = request(module, args, kwargs, path, input_names, output_names, dynamic_axes, opset, dynamo, device, dtype)
    checklist = checklist_of(wanted, lang)
    if not checklist.ok:
        raise ExportRefused(checklist)
    with prepared(wanted):
        inputs, named = _inputs(wanted)
        try:
            _call_exporter(wanted, inputs, named, options)
        except RuntimeError as error:
            _explain(error, wanted.module, inputs, named, lang)
            raise
    can_check = check and importlib.util.find_spec("onnx") is not None
    problems = problems_of(wanted, lang) if can_check else ()
    return ExportResult(os.fspath(path), checklist, can_check, problems, lang)


@contextlib.contextmanager
def prepared(wanted: Request) -> Iterator[None]:
    """The module and PyTorch's settings as an export wants them; as they were afterwards."""
    with contextlib.ExitStack() as inside:
        inside.enter_context(restored_settings(wanted.module))
        inside.enter_context(unified(wanted.module, wanted.device, wanted.dtype))
        for kind in ("cuda", "cpu"):
            inside.enter_context(torch.autocast(kind, enabled=False))
        inside.enter_context(torch.no_grad())
        wanted.module.eval()
        if default_device() is not None:
            torch.set_default_device(None)  # type: ignore[arg-type]
        torch.set_default_dtype(torch.float32)
        yield


def _inputs(wanted: Request) -> tuple[tuple[Any, ...], dict[str, Any]]:
    dtype = module_dtype(wanted, places(wanted.module))
    odd = {id(tensor) for _, tensor in odd_inputs(wanted, dtype)}

    def cast(value: Any) -> Any:
        return tree_map_only(torch.Tensor, lambda t: to_device(t, wanted.device, dtype if id(t) in odd else None), value)

    return cast(wanted.args), cast(wanted.kwargs)


def _call_exporter(wanted: Request, inputs: tuple[Any, ...], named: dict[str, Any], options: dict[str, Any]) -> None:
    known = inspect.signature(torch.onnx.export).parameters
    options = dict(options, input_names=list(wanted.input_names or ()) or None,
                   output_names=list(wanted.output_names or ()) or None, opset_version=wanted.opset)
    if "dynamo" in known:
        options["dynamo"] = wanted.dynamo
    if wanted.dynamo and wanted.dynamic_axes:
        options["dynamic_shapes"] = wanted.dynamic_shapes
    elif wanted.dynamic_axes:
        options["dynamic_axes"] = wanted.dynamic_axes
    if named and "kwargs" in known:
        options["kwargs"] = named
    elif named:
        inputs = (*inputs, named)
    torch.onnx.export(wanted.module, inputs, wanted.path, **options)


_TELLING = re.compile(r"same device|device type|on device|dtype|scalar type|Input type|expected .* but found", re.IGNORECASE)


def _explain(error: RuntimeError, module: nn.Module, inputs: tuple[Any, ...], named: dict[str, Any], lang: str) -> None:
    """Adds to an error about devices or dtypes what a run on fake tensors shows; says nothing where that shows nothing."""
    if isinstance(error, DeviceMismatch) or not can_pretend() or not _TELLING.search(str(error)):
        return
    report = find_mismatches(module, *inputs, lang=lang, **named)
    if report.mismatches:
        add_note(error, _FAILED.say(lang) + "\n" + report.say(lang))


def add_note(error: BaseException, note: str) -> None:
    """A note that tracebacks show: by add_note() from Python 3.11, before it at the end of the message."""
    if hasattr(error, "add_note"):
        error.add_note(note)
    elif error.args and isinstance(error.args[0], str):
        error.args = (error.args[0] + "\n" + note, *error.args[1:])


def export_guard(function: Optional[Function] = None, *, lang: str = "en") -> Any:
    """Decorator for a function that exports: `@export_guard` or `@export_guard(lang="zh")`.

    While it runs, gradients are off, and the modules among its arguments, those that a pipeline or a container there holds
    too, are in eval mode and guarded by device_guard(): the first mismatch raises DeviceMismatch with names. After it, also
    after an exception, the defaults of PyTorch, training flags and requires_grad are as before. Its result is passed on.
    """
    checked(lang)

    def decorate(wrapped: Function) -> Function:
        @functools.wraps(wrapped)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            given = inspect.signature(wrapped).bind(*args, **kwargs).arguments
            modules = _modules_in(list(given.values()))
            with restored_settings(*modules), torch.no_grad(), device_guard(dict(given), lang=lang):
                for module in modules:
                    module.eval()
                return wrapped(*args, **kwargs)
        return guarded  # type: ignore[return-value]

    return decorate(function) if function is not None else decorate


def _modules_in(values: Sequence[Any]) -> list[nn.Module]:
    walk = Walk()
    for _ in walk.places(list(values)):
        pass
    return [value for value in walk.objects if isinstance(value, nn.Module)]
