"""A GPU that is not there: what user code asks torch.cuda, answered as a machine with one would."""
from __future__ import annotations

import contextlib
import os
import sys
import warnings
from typing import Any, Callable, Iterator

import torch

from sinter_torch.patches import Patches

_TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
_MEMORY = 24 << 30
# torch.cuda functions and what they answer; the rest of torch.cuda stays as it is.
_ANSWERS: dict[str, Any] = {
    "device_count": 1, "current_device": 0, "is_initialized": True, "is_bf16_supported": True, "memory_allocated": 0,
    "memory_reserved": 0, "max_memory_allocated": 0, "max_memory_reserved": 0, "get_device_capability": (8, 9),
    "get_device_name": "a GPU that is not there", "mem_get_info": (_MEMORY, _MEMORY), "empty_cache": None,
    "synchronize": None, "set_device": None, "init": None, "ipc_collect": None, "reset_peak_memory_stats": None,
    "manual_seed": None, "manual_seed_all": None, "seed": None, "seed_all": None, "memory_summary": "",
}
_FILLERS = ("randn", "rand", "randint", "randperm", "normal", "bernoulli", "multinomial")
_METHODS = ("normal_", "uniform_", "random_", "bernoulli_", "exponential_", "cauchy_", "log_normal_", "geometric_",
            "bernoulli", "multinomial")


class _GeneratorType(type):
    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, _RealGenerator) or type.__instancecheck__(cls, value)


_RealGenerator = torch.Generator


class FakeGenerator(metaclass=_GeneratorType):
    """Stands for a torch.Generator of a GPU that is not there. For the CPU the real class answers."""

    def __new__(cls, device: Any = "cpu") -> Any:
        if torch.device(device).type == "cpu":
            return _RealGenerator()
        return super().__new__(cls)

    def __init__(self, device: Any = "cpu") -> None:
        place = torch.device(device)
        self.device = place if place.index is not None else torch.device(place.type, 0)
        self._seed = 0

    def manual_seed(self, seed: int) -> FakeGenerator:
        self._seed = seed
        return self

    def seed(self) -> int:
        return self._seed

    def initial_seed(self) -> int:
        return self._seed

    def get_state(self) -> torch.Tensor:
        return torch.zeros(16, dtype=torch.uint8)

    def set_state(self, state: torch.Tensor) -> FakeGenerator:
        return self


def _asked_by_torch() -> bool:
    """Whether the code that called the caller is PyTorch's own, which must know that there is no GPU."""
    return sys._getframe(2).f_code.co_filename.startswith(_TORCH)


def can_pretend() -> bool:
    """Whether fake GPU tensors work here: there is a GPU, or this PyTorch (2.10 or later) can do without one.

    An older one would start CUDA at the first operator, and end the process.
    """
    return torch.cuda.is_available() or hasattr(torch._C, "_ensureCUDADeviceGuardSet")


def pretend_gpu(patches: Patches) -> None:
    """Lets code outside PyTorch believe in one GPU. Does nothing where there is a real one."""
    if torch.cuda.is_available():
        return

    def answer(value: Any) -> Callable[[Any], Any]:
        def make(real: Any) -> Any:
            return lambda *args, **kwargs: real(*args, **kwargs) if _asked_by_torch() else value
        return make

    patches.set(torch.cuda, "is_available", answer(True))
    for name, value in _ANSWERS.items():
        patches.set(torch.cuda, name, answer(value))
    # PyTorch itself asks this one for the index of a fake "cuda" tensor.
    patches.set(torch.cuda, "current_device", lambda real: lambda: 0)
    common = getattr(getattr(torch.cuda, "amp", None), "common", None)
    if common is not None:  # else autocast("cuda") turns itself off
        patches.set(common, "amp_definitely_not_available", lambda real: lambda: False)


def watch_generators(patches: Patches, mismatch: Callable[[str, torch.device, torch.Tensor], None]) -> None:
    """Random functions take generators of any device; `mismatch(op, generator's device, result)` hears of wrong ones."""
    with contextlib.suppress(AttributeError):
        torch.utils._device._device_constructors()  # fills its cache with the real functions before they are replaced

    def wrapped(real: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            generator = kwargs.pop("generator", None)
            result = real(*args, **kwargs)
            if generator is not None and isinstance(result, torch.Tensor) and generator.device.type != result.device.type:
                mismatch(getattr(real, "__name__", "random"), generator.device, result)
            return result
        return call

    for name in _FILLERS:
        patches.set(torch, name, wrapped)
    for name in _METHODS:
        patches.set(torch.Tensor, name, wrapped)
    if not torch.cuda.is_initialized():
        patches.set(torch, "Generator", lambda real: FakeGenerator)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings of a machine that has no GPU."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*CUDA.*")
        yield
