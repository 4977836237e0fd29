"""A few steps of textual inversion: gradients are wanted here."""
import torch
import torch.nn.functional as F
from diffusers import DDPMScheduler, UNet2DConditionModel

device = torch.device("cuda")
unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet").to(device)
unet.requires_grad_(False)
scheduler = DDPMScheduler.from_pretrained("models/base", subfolder="scheduler")
token = torch.nn.Parameter(torch.randn(1, 77, 768, device=device))
optimizer = torch.optim.AdamW([token], lr=1e-3)
losses = []
for step in range(3):
    latents = torch.randn(1, 4, 32, 32, device=device)
    noise = torch.randn_like(latents)
    t = torch.randint(0, 1000, (1,), device=device)
    noisy = scheduler.add_noise(latents, noise, t)
    loss = F.mse_loss(unet(noisy, t, token).sample, noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.detach().cpu())
print(len(losses))
