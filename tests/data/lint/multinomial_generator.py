import torch

weights = torch.rand(16, device="cuda")
g = torch.manual_seed(5)
picks = torch.multinomial(weights, 4, generator=g)
print(weights[picks])
