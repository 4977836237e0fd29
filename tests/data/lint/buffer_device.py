from functools import lru_cache

import torch
from torch import nn


class Rope(nn.Module):
    def __init__(self, width=32, base=10000.0):
        super().__init__()
        inv = 1.0 / base ** (torch.arange(0, width, 2).float() / width)
        self.register_buffer("inv", inv, persistent=False)
        self.register_buffer("cache", torch.zeros(1), persistent=False)

    def build(self, n):
        angles = torch.outer(torch.arange(n, device=self.inv.device).float(), self.inv)
        self.cache = angles.cos().to("cpu")

    def forward(self, x):
        return x * self.cache[None, :x.shape[1]].repeat(1, 1, 2)


rope = Rope().to("cuda")
rope.build(16)
print(rope(torch.randn(2, 16, 32, device="cuda")).shape)
