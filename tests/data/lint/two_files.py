"""Averages two checkpoints; one of them was loaded to the GPU."""
import torch
from safetensors.torch import load_file, save_file

first = load_file("models/a-unet.safetensors", device="cuda")
second = load_file("models/b-unet.safetensors")

merged = {}
for key, value in first.items():
    merged[key] = 0.5 * value + 0.5 * second[key]
save_file(merged, "merged.safetensors")
