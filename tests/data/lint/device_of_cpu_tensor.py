"""The noise follows the latents, and the latents are in the wrong place."""
import torch
from diffusers import UNet2DConditionModel

unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet").to("cuda").eval()
latents = torch.randn(1, 4, 32, 32)
noise = torch.randn(latents.shape, device=latents.device, dtype=latents.dtype)
noisy = 0.8 * latents + 0.6 * noise
with torch.no_grad():
    print(unet(noisy, 400, torch.zeros(1, 77, 768, device="cuda")).sample.shape)
