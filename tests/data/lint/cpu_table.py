"""Looks the noise level up with timesteps that live on the GPU."""
import torch
from diffusers import DDPMScheduler

scheduler = DDPMScheduler.from_pretrained("models/base", subfolder="scheduler")
latents = torch.randn(2, 4, 32, 32, device="cuda")
steps = torch.randint(0, 1000, (2,), device=latents.device)
alphas = scheduler.alphas_cumprod
level = alphas[steps].sqrt().view(-1, 1, 1, 1)
print((latents * level).std())
