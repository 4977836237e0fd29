import torch
from torch import nn


class LayerScale(nn.Module):
    def __init__(self, count=3):
        super().__init__()
        self.gammas = [torch.full((8,), 0.1 * (i + 1)) for i in range(count)]
        self.proj = nn.Linear(8, 8)

    def forward(self, x):
        for gamma in self.gammas:
            x = x + gamma * self.proj(x)
        return x


net = LayerScale().to("cuda")
with torch.no_grad():
    print(net(torch.ones(2, 8, device="cuda")).sum())
