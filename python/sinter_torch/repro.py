"""Writes a script that says what an environment is, compares another with it, and holds the seeds for a failing run."""
from __future__ import annotations

import importlib.metadata
import os
import platform
import pprint
import sys
from typing import Any, Mapping

# Distributions that decide how a diffusion model runs and exports.
PACKAGES = (
    "torch", "torchvision", "torchaudio", "triton", "xformers", "flash-attn", "diffusers", "transformers", "accelerate", "peft",
    "safetensors", "tokenizers", "huggingface-hub", "numpy", "pillow", "onnx", "onnxscript", "onnxruntime", "onnxruntime-gpu",
    "onnxruntime-directml", "onnxsim", "onnxconverter-common", "optimum", "tensorrt", "tensorrt-cu12", "tensorrt-rtx",
    "torch-tensorrt", "bitsandbytes", "openvino", "cuda-python", "sinter-torch")
# Environment variables that change what PyTorch does; paths and tokens are not among them.
VARIABLES = (
    "CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING", "CUDA_MODULE_LOADING", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF",
    "PYTORCH_ENABLE_MPS_FALLBACK", "TORCH_SHOW_CPP_STACKTRACES", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "CUBLAS_WORKSPACE_CONFIG",
    "HF_HUB_OFFLINE", "OMP_NUM_THREADS", "PYTHONUTF8")


def installed_packages() -> dict[str, str]:
    """Version of each of PACKAGES that is installed, in that order."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def devices() -> dict[str, Any]:
    """What PyTorch says about its build and its GPUs; empty where it is not installed."""
    try:
        import torch
    except ImportError:
        return {}
    found: dict[str, Any] = {"torch": torch.__version__, "torch_cuda": torch.version.cuda,
                             "torch_hip": getattr(torch.version, "hip", None),
                             "cudnn": torch.backends.cudnn.version() if torch.backends.cudnn.is_available() else None,
                             "default_dtype": str(torch.get_default_dtype()), "gpus": []}
    if torch.cuda.is_available():
        for index in range(torch.cuda.device_count()):
            properties = torch.cuda.get_device_properties(index)
            found["gpus"].append({"name": properties.name, "capability": f"{properties.major}.{properties.minor}",
                                  "memory_mib": properties.total_memory >> 20})
    return found


def environment() -> dict[str, Any]:
    """This environment as plain data: python, platform, packages, devices, variables. No paths, no user names."""
    return {"python": platform.python_version(), "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
            "packages": installed_packages(), "devices": devices(),
            "variables": {name: os.environ[name] for name in VARIABLES if name in os.environ}}


def requirements(packages: Mapping[str, str]) -> str:
    """The packages as lines of a requirements.txt. A local version such as 2.5.1+cu124 becomes a comment: where that build
    comes from is for the reader to choose."""
    lines = []
    for name, version in packages.items():
        public, _, local = version.partition("+")
        lines.append(f"{name}=={public}" + (f"  # build {local}" if local else ""))
    return "".join(f"{line}\n" for line in lines)


_TEMPLATE = '''#!/usr/bin/env python3
"""Reproduces an environment and a run.

    python {name}                 says how this environment differs from the recorded one; exit status 1 if it does
    python {name} --requirements  prints the recorded packages for pip
    python {name} --run           sets the seeds and runs failing_code() below
"""
import importlib.metadata
import os
import platform
import sys

RECORDED = {recorded}
REQUIREMENTS = """\\
{requirements}"""
SEED = {seed}


def differences():
    """What is different here: (what, recorded, found)."""
    found = []
    if platform.python_version() != RECORDED["python"]:
        found.append(("python", RECORDED["python"], platform.python_version()))
    for name, version in RECORDED["packages"].items():
        try:
            here = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            here = "missing"
        if here != version:
            found.append((name, version, here))
    for name, value in RECORDED["variables"].items():
        if os.environ.get(name) != value:
            found.append((name, value, os.environ.get(name, "unset")))
    recorded = [gpu["name"] for gpu in RECORDED["devices"].get("gpus", [])]
    if gpus() != recorded:
        found.append(("GPUs", ", ".join(recorded) or "none", ", ".join(gpus()) or "none"))
    return found


def gpus():
    try:
        import torch
    except ImportError:
        return []
    return [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())] if torch.cuda.is_available() else []


def set_seeds(seed):
    """The same numbers in each run, as far as PyTorch promises it."""
    import random
    random.seed(seed)
    try:
        import numpy
        numpy.random.seed(seed)
    except ImportError:
        pass
    import torch
    torch.manual_seed(seed)
    torch.backends.cudnn.benchmark = False
    torch.use_deterministic_algorithms(True, warn_only=True)


def failing_code():
{code}


def main():
    if "--requirements" in sys.argv:
        print(REQUIREMENTS, end="")
        return 0
    found = differences()
    for what, recorded, here in found:
        print(f"{{what}}: recorded {{recorded}}, here {{here}}")
    if "--run" not in sys.argv:
        if not found:
            print("the environment is the recorded one")
        return 1 if found else 0
    os.environ.update(RECORDED["variables"])  # before torch is imported: it reads some of them once
    os.environ.setdefault("CUDA_LAUNCH_BLOCKING", "1")
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    set_seeds(SEED)
    failing_code()
    return 0


if __name__ == "__main__":
    sys.exit(main())
'''
_NO_CODE = '    raise NotImplementedError("put the smallest code that fails here")'


def reproduction(name: str, seed: int = 0, code: str = "") -> str:
    """The text of a reproduction script of this environment, to be saved as `name`.

    code: Python that fails, which becomes the body of failing_code(); without it a line says where it goes. The script needs
    nothing but Python for its comparison.
    """
    found = environment()
    # Indenting would change the strings in the code that span lines, so it travels as one literal.
    body = f'    exec(compile({code!r}, "failing_code", "exec"), {{"__name__": "__main__"}})' if code.strip() else _NO_CODE
    recorded = pprint.pformat(found, width=110, sort_dicts=False)
    return _TEMPLATE.format(name=name, recorded=recorded, requirements=requirements(found["packages"]), seed=seed, code=body)


def write_reproduction(path: str, seed: int = 0, script: str = "") -> None:
    """Writes reproduction() to `path`, with the content of the file `script` as the failing code.

    Raises OSError where a file cannot be read or written.
    """
    code = ""
    if script:
        with open(script, encoding="utf-8") as file:
            code = file.read()
    text = reproduction(os.path.basename(path), seed, code)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    if sys.platform != "win32":
        os.chmod(path, 0o755)
