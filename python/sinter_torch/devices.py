"""Names of devices and tensors in messages, and when two devices are the same."""
from __future__ import annotations

from typing import Optional, Union

import torch

DeviceLike = Union[str, torch.device]


def agrees(found: torch.device, wanted: torch.device) -> bool:
    """Whether `found` is `wanted`; a wanted device without an index stands for every index of its type."""
    return found.type == wanted.type and (wanted.index is None or found.index in (None, wanted.index))


def short_dtype(dtype: torch.dtype) -> str:
    """"float16" for torch.float16."""
    return str(dtype).replace("torch.", "")


def size_bytes(tensor: torch.Tensor) -> int:
    """What the elements take, in bytes; a view counts as if it were a tensor of its own."""
    return tensor.numel() * tensor.element_size()


def readable_bytes(count: float) -> str:
    """"1.5 GiB" for 1610612736."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(count) < 1024 or unit == "GiB":
            break
        count /= 1024
    return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"


def device_with_most(sizes: dict[torch.device, int]) -> Optional[torch.device]:
    """The device that holds the most bytes; an accelerator wins over the CPU and meta when they hold as much."""
    ranked = sorted(sizes, key=lambda d: (-sizes[d], d.type in ("cpu", "meta"), str(d)))
    return ranked[0] if ranked else None
