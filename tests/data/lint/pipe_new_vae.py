"""Exchanges the decoder of a pipeline that was moved already."""
import torch
from diffusers import AutoencoderKL, StableDiffusionPipeline

pipe = StableDiffusionPipeline.from_pretrained("models/base").to("cuda")
pipe.vae = AutoencoderKL.from_pretrained("models/better-vae")
with torch.no_grad():
    latents = pipe("a pond", output_type="pt", num_inference_steps=2).images
    z = torch.randn(1, 4, 16, 16, device=pipe.device)
    print(pipe.vae.decode(z).sample.mean())
