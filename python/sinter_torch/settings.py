"""PyTorch's global settings and the modes of modules, put back after a piece of work."""
from __future__ import annotations

import contextlib
from typing import Any, Iterable, Iterator, Optional

import torch
from torch import nn


def default_device() -> Optional[torch.device]:
    """The device of set_default_device(), or None where none is set."""
    kept = getattr(torch, "_GLOBAL_DEVICE_CONTEXT", None)  # a thread's own from 2.2; before, the context itself
    found = getattr(getattr(kept, "device_context", kept), "device", None)
    return torch.device(found) if found is not None else None


def training_modules(modules: Iterable[nn.Module]) -> list[str]:
    """Names of the modules and submodules that are in training mode, "" for a module itself."""
    return [name for module in modules for name, child in module.named_modules() if child.training]


@contextlib.contextmanager
def restored_settings(*modules: nn.Module) -> Iterator[None]:
    """Whatever happens inside, afterwards these are as before: default device, default dtype, gradient mode, and for each of
    `modules` and its submodules the training flag and every parameter's requires_grad.

    Settings that a context manager holds, such as autocast, are its own to restore.
    """
    device = default_device()
    dtype = torch.get_default_dtype()
    grad = torch.is_grad_enabled()
    flags: list[tuple[nn.Module, bool]] = [(child, child.training) for module in modules for child in module.modules()]
    needs: list[tuple[Any, bool]] = [(p, p.requires_grad) for module in modules for p in module.parameters()]
    try:
        yield
    finally:
        if default_device() != device:
            torch.set_default_device(device)  # type: ignore[arg-type]
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(grad)
        for child, training in flags:
            child.training = training
        for parameter, required in needs:
            if parameter.requires_grad != required:
                parameter.requires_grad_(required)
