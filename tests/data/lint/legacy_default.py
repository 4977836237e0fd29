"""Mean and deviation tensors under a device context."""
import torch

with torch.device("cuda"):
    base = torch.zeros(4, 64)
    jitter = torch.normal(0.0, 1.0, size=(4, 64))
    old = torch.FloatTensor([0.1, 0.2, 0.3, 0.4])
    print((base + jitter).sum(), (base * old[:, None]).sum())
