"""Token and position tables of a tiny text encoder."""
import torch
from torch import nn


class Tables(nn.Module):
    def __init__(self, vocabulary=1000, width=64, length=77):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.places = nn.Embedding(length, width)

    def forward(self, ids):
        positions = torch.arange(ids.shape[1])
        return self.words(ids) + self.places(positions)


tables = Tables().cuda()
with torch.no_grad():
    print(tables(torch.zeros(2, 77, dtype=torch.long, device="cuda")).shape)
