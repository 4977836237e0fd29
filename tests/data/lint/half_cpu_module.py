"""Warms a small network up before it goes to the GPU."""
import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.SiLU(), nn.Conv2d(8, 4, 3))
net = net.half()
with torch.no_grad():
    net(torch.zeros(1, 3, 32, 32, dtype=torch.float16))
    net.cuda()
    print(net(torch.zeros(1, 3, 32, 32, dtype=torch.float16, device="cuda")).shape)
