import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.norm = nn.GroupNorm(4, a)
        self.conv = nn.Conv2d(a, b, 3, padding=1)

    def forward(self, x):
        return self.conv(torch.nn.functional.silu(self.norm(x)))


class Tower(nn.Module):
    def __init__(self, widths):
        super().__init__()
        blocks = []
        for a, b in zip(widths[:-1], widths[1:]):
            blocks += [Block(a, b), nn.Identity()]
        self.body = nn.Sequential(*blocks)
        self.heads = nn.ModuleList([nn.Conv2d(widths[-1], 1, 1) for _ in range(3)])
        self.extra = nn.ModuleDict({"a": nn.Linear(1, 1), "b": nn.Linear(1, 1)})

    def forward(self, x):
        y = self.body(x)
        outs = [head(y) for head in self.heads]
        return torch.stack(outs), self.extra["a"](outs[0].mean(dim=(1, 2, 3))[:, None])


tower = Tower([8, 16, 32]).to(device="cuda")
with torch.no_grad():
    a, b = tower(torch.randn(2, 8, 16, 16, device="cuda"))
print(a.shape, b.shape)
