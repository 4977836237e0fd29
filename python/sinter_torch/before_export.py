"""The checklist before an export."""
from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Sequence, Union

import torch
from torch import nn

from sinter_torch.checklist import Checklist
from sinter_torch.devices import DeviceLike
from sinter_torch.export_checks import run_export_checks
from sinter_torch.language import checked
from sinter_torch.module_checks import run_module_checks
from sinter_torch.request import Axes, Request, request


def preflight(module: nn.Module, args: Any, *, kwargs: Optional[Mapping[str, Any]] = None,
              path: Union[str, os.PathLike[str], None] = None, input_names: Optional[Sequence[str]] = None,
              output_names: Optional[Sequence[str]] = None, dynamic_axes: Optional[Axes] = None, opset: int = 17,
              dynamo: bool = False, device: Optional[DeviceLike] = None, dtype: Optional[torch.dtype] = None,
              lang: str = "en") -> Checklist:
    """Looks at everything that decides whether an export works, and changes nothing. Arguments as for safe_export().

    Module: not wrapped, eval mode, no gradients, one device, one dtype, nothing unregistered, inputs that fit. Settings: default
    device and dtype, autocast. Export: input names, dynamic axes, opset 17 or later, sizes in multiples of 64 pixels, the
    file's folder and space, the packages. The module is not run: find_mismatches() does that without a GPU.

    Raises TypeError where `module` is no module, ValueError for an unknown `lang`.
    """
    checked(lang)
    return checklist_of(request(module, args, kwargs, path, input_names, output_names, dynamic_axes, opset, dynamo, device,
                                dtype), lang)


def checklist_of(wanted: Request, lang: str) -> Checklist:
    """The checks of one request, with the module in the state that it is in."""
    return Checklist(tuple(run_module_checks(wanted) + run_export_checks(wanted)), lang)
