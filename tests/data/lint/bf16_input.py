import torch
from diffusers import AutoencoderKL

vae = AutoencoderKL.from_pretrained("models/base", subfolder="vae", torch_dtype=torch.bfloat16).to("cuda")
latents = torch.randn(1, 4, 32, 32, device="cuda")
with torch.no_grad():
    print(vae.decode(latents / vae.config.scaling_factor).sample.shape)
