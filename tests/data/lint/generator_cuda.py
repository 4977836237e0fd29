import torch

gen = torch.Generator("cuda").manual_seed(3)
noise = torch.randn(1, 4, 64, 64, generator=gen)
latents = noise.to("cuda") * 0.5
print(latents.std())
