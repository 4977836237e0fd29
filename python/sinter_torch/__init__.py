"""Finds the device and dtype mistakes of PyTorch modules, and exports them to ONNX without leaving traces.

Importing the package does not import PyTorch: the names below are loaded when they are first used, and only then is
PyTorch needed. `python -m sinter_torch run` and `repro` work without it.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public name -> the module that defines it.
_HOMES = {
    "DeviceAudit": "audit",
    "audit_devices": "audit",
    "Check": "checklist",
    "Checklist": "checklist",
    "preflight": "before_export",
    "ExportRefused": "export",
    "ExportResult": "export",
    "export_guard": "export",
    "safe_export": "export",
    "DeviceGuard": "guard",
    "DeviceMismatch": "guard",
    "device_guard": "guard",
    "MismatchReport": "find",
    "find_mismatches": "find",
    "Mismatch": "mismatch",
    "memory_report": "memory",
    "MemoryReport": "memory",
    "restored_settings": "settings",
    "to_device": "move",
}

__all__ = sorted(_HOMES)

if TYPE_CHECKING:
    from sinter_torch.audit import DeviceAudit, audit_devices
    from sinter_torch.before_export import preflight
    from sinter_torch.checklist import Check, Checklist
    from sinter_torch.export import (
        ExportRefused,
        ExportResult,
        export_guard,
        safe_export,
    )
    from sinter_torch.find import MismatchReport, find_mismatches
    from sinter_torch.guard import DeviceGuard, DeviceMismatch, device_guard
    from sinter_torch.memory import MemoryReport, memory_report
    from sinter_torch.mismatch import Mismatch
    from sinter_torch.move import to_device
    from sinter_torch.settings import restored_settings


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'sinter_torch' has no attribute {name!r}")
    try:
        module = importlib.import_module(f"sinter_torch.{home}")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ImportError(f"sinter_torch.{name} needs PyTorch 2.1 or later, and this Python has none; install torch, "
                          "or use the interpreter of the environment that has it") from error
    return getattr(module, name)


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_HOMES))
