import torch

x = torch.rand(1, 3, 64, 64, device="cuda")
q = torch.tensor(0.99)
ceiling = torch.quantile(x.flatten(), q)
x = x / ceiling.clamp(min=1e-6)
scale = torch.tensor(2.0)
print((x * scale).mean(), torch.minimum(x, scale).amax())
