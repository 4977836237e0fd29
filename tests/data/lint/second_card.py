import torch
from diffusers import AutoencoderKL

GPU = "cuda:1"
vae = AutoencoderKL.from_pretrained("models/base", subfolder="vae").to(GPU).eval()
with torch.no_grad():
    print(vae.decode(torch.randn(1, 4, 16, 16, device=vae.device)).sample.device)
