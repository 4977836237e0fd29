"""One denoising step; the noise is not where the unet is."""
import torch
from diffusers import UNet2DConditionModel

device = torch.device("cuda")
unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet").to(device)
latents = torch.randn(1, 4, 64, 64)
context = torch.zeros(1, 77, 768, device=device)

with torch.no_grad():
    print(unet(latents, 981, encoder_hidden_states=context).sample.std())
