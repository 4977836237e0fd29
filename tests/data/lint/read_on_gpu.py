"""Lists what a checkpoint holds."""
import torch

state = torch.load("runs/unet.pt", map_location="cuda", weights_only=True)
total = 0
for name, tensor in state.items():
    total += tensor.numel()
    print(name, tuple(tensor.shape), tensor.dtype)
print(total, "parameters")
