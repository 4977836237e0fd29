"""Joins prompt states and an image embedding."""
import numpy as np
import torch

states = torch.randn(2, 77, 768, device="cuda:0")
face = np.load("inputs/face.npy")
extra = torch.tensor(face, dtype=torch.float32).repeat(2, 1)
extra = torch.nn.functional.pad(extra, (0, 256))[:, None]
print(torch.cat((states, extra), 1).shape)
