"""Adds a LoRA delta from a pickle to a weight on the GPU."""
import torch
from torch import nn

layer = nn.Linear(768, 768).to("cuda")
state = torch.load("loras/a-lora.pt", map_location="cpu", weights_only=True)
delta = {}
for key, up in state.items():
    if key.endswith("lora_up.weight"):
        down = state[key.replace("lora_up", "lora_down")]
        delta[key] = up @ down
with torch.no_grad():
    for key in delta:
        layer.weight += 0.5 * delta[key]
        break
print(layer.weight.norm())
