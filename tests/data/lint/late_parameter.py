import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 4)).cuda()
net.shift = nn.Parameter(torch.zeros(4))
print(net(torch.ones(1, 4, device="cuda")) + net.shift)
