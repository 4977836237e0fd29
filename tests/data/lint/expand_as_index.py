import torch

x = torch.randn(2, 8, 16, device="cuda")
target = torch.randint(0, 4, (2, 8, 1))
print(torch.zeros_like(x).scatter_add(1, target.expand_as(x), x))
