"""Blends two checkpoints; nothing else happens to them."""
import torch

a = torch.load("runs/a-unet.pt", map_location="cuda", weights_only=True)
b = torch.load("runs/b-unet.pt", map_location="cuda:0", weights_only=True)
mixed = {}
for name in a:
    mixed[name] = torch.lerp(a[name].float(), b[name].float(), 0.4)
torch.save(mixed, "runs/mixed.pt")
