import torch
from torch import nn

torch.cuda.set_device(0)
net = nn.Linear(8, 8).cuda()
x = torch.ones(2, 8, device=torch.device("cuda", torch.cuda.current_device()))
with torch.no_grad():
    print(net(x).sum())
