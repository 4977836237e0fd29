"""Renders into a folder with an accent."""
from pathlib import Path

import torch
from diffusers import StableDiffusionPipeline

OUT = Path("résultats")
OUT.mkdir(exist_ok=True)
pipe = StableDiffusionPipeline.from_pretrained("models/base").to("cuda")
for number in range(2):
    image = pipe("ein schöner Garten", num_inference_steps=2).images[0]
    image.save(OUT / f"{number:02d}.png")
