import torch
from diffusers import AutoencoderKL

vae = AutoencoderKL.from_pretrained("models/base", subfolder="vae", torch_dtype=torch.float16).to("cuda")
latents = torch.randn(1, 4, 32, 32, device="cuda")
latents.half()
with torch.no_grad():
    image = vae.decode(latents.half() / 0.18215).sample
print(image.dtype)
