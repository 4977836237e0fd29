import torch
from torch import nn


class Conditioner(nn.Module):
    def __init__(self, classes=10, width=64):
        super().__init__()
        self.table = nn.Embedding(classes, width)
        self.mlp = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))

    def forward(self, labels, drop=None):
        emb = self.mlp(self.table(labels))
        if drop is not None:
            emb = emb.masked_fill(drop[:, None], 0.0)
        return emb


cond = Conditioner().to("cuda:0").eval()
labels = torch.arange(4, device="cuda:0")
drop = torch.rand(4) < 0.1
with torch.no_grad():
    print(cond(labels, drop).norm())
