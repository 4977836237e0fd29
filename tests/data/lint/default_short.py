"""A short script with a default device, and one tensor that does not follow it."""
import numpy as np
import torch

torch.set_default_device("cuda")
weights = torch.linspace(0, 1, 8)
noise = torch.randn(4, 8)
mask = torch.from_numpy(np.ones(8, dtype=np.float32))
print((noise * weights * mask).sum())
