"""Picks hidden layers and tokens."""
import torch

layers = torch.randn(12, 2, 77, 64, device="cuda")
order = torch.tensor([3, 5, 9])
picked = torch.index_select(layers, 0, order)
last = torch.zeros(2, 1, dtype=torch.long, device=layers.device)
row = layers[0, :, :, 0].gather(1, last)
print(picked.shape, row.shape)
