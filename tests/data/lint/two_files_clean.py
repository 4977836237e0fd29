"""Averages two checkpoints on the CPU."""
import torch
from safetensors.torch import load_file, save_file


def blend(paths, weights):
    states = [load_file(path, device="cpu") for path in paths]
    out = {}
    for key in states[0]:
        out[key] = sum(w * state[key] for w, state in zip(weights, states))
    return out


merged = blend(["models/a-unet.safetensors", "models/b-unet.safetensors"], (0.3, 0.7))
save_file({k: v.half().contiguous() for k, v in merged.items()}, "merged.safetensors")
