"""Helpers of a demo, imported by others."""
import torch

torch.set_default_tensor_type("torch.cuda.FloatTensor")


def noise(shape):
    return torch.randn(shape)
