import torch
from safetensors.torch import load_file

factors = load_file("factors.safetensors")
x = torch.randn(2, 8, device="cuda")
print(x @ factors["down"] @ factors["up"])
