"""CPU noise is moved afterwards, so that a seed gives one picture everywhere."""
import torch
from diffusers import StableDiffusionPipeline

pipe = StableDiffusionPipeline.from_pretrained("models/base").to("cuda")
gen = torch.Generator(device="cpu").manual_seed(11)
latents = torch.randn((1, 4, 64, 64), generator=gen).to(pipe.device)
picture = pipe("a fox", latents=latents, generator=gen, num_inference_steps=2).images[0]
picture.save("fox.png")
