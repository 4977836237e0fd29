"""PyTorch's exporters, and doing something else in their place for a while."""
from __future__ import annotations

import functools
from typing import Any, Callable, NamedTuple, Optional

import torch

from sinter_torch.patches import Patches


class ExportCall(NamedTuple):
    """A call of an exporter. run() calls the model once with the exporter's inputs; export() is the call itself."""

    name: str
    model: Any
    run: Callable[[], Any]
    export: Callable[[], Any]


def replace_exporters(patches: Patches, instead: Callable[[ExportCall], Any]) -> None:
    """Until patches.undo(), instead(call) is called in the place of torch.onnx.export, torch.jit.trace, torch.export.export."""

    def wrap(find: Callable[..., tuple[Any, tuple[Any, ...], dict[str, Any]]]) -> Callable[[Any], Any]:
        def make(real: Any) -> Any:
            @functools.wraps(real)
            def exporter(*given: Any, **options: Any) -> Any:
                model, args, kwargs = find(*given, **options)

                def run() -> Any:
                    with torch.no_grad():
                        return model(*args, **kwargs)

                return instead(ExportCall(real.__name__, model, run, lambda: real(*given, **options)))
            return exporter
        return make

    patches.set(torch.onnx, "export", wrap(_of_onnx_export))
    patches.set(torch.onnx, "dynamo_export", wrap(_of_dynamo_export))
    patches.set(torch.jit, "trace", wrap(_of_trace))
    if hasattr(torch, "export"):
        patches.set(torch.export, "export", wrap(_of_export))


def model_inputs(args: Any, kwargs: Optional[dict[str, Any]]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The inputs as torch.onnx.export understands them: a dict at the end of args holds keyword arguments."""
    args = args if isinstance(args, tuple) else (args,)
    named = dict(kwargs or {})
    if args and isinstance(args[-1], dict):
        named.update(args[-1])
        args = args[:-1]
    return args, named


def _of_onnx_export(model: Any, args: Any = (), f: Any = None, *rest: Any, kwargs: Any = None, **options: Any) -> Any:
    return (model, *model_inputs(args, kwargs))


def _of_dynamo_export(model: Any, *args: Any, export_options: Any = None, **kwargs: Any) -> Any:
    return model, args, kwargs


def _of_trace(func: Any, example_inputs: Any = None, *rest: Any, example_kwarg_inputs: Any = None, **options: Any) -> Any:
    args = () if example_inputs is None else example_inputs
    return func, tuple(args) if isinstance(args, (tuple, list)) else (args,), dict(example_kwarg_inputs or {})


def _of_export(mod: Any, args: Any = (), kwargs: Any = None, **options: Any) -> Any:
    return mod, tuple(args), dict(kwargs or {})
