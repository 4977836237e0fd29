"""Cross attention with a mask that is made for one card."""
import torch
import torch.nn.functional as F
from torch import nn


class Masked(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        n = x.shape[1]
        mask = torch.ones(n, n, dtype=torch.bool, device="cuda").tril()
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


layer = Masked().to("cuda").eval()
with torch.inference_mode():
    print(layer(torch.randn(1, 16, 64, device="cuda")).shape)
