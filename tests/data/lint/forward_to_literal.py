import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.proj = nn.Linear(1, width)

    def forward(self, x):
        steps = torch.linspace(0, 1, x.shape[1]).unsqueeze(-1).to("cuda")
        return x + self.proj(steps)


with torch.no_grad():
    print(Positions().to("cuda")(torch.zeros(2, 8, 16, device="cuda")).sum())
