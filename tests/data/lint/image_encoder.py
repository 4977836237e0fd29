"""Image prompt without moving the pixels."""
import torch
from diffusers.image_processor import VaeImageProcessor
from PIL import Image
from transformers import CLIPVisionModelWithProjection
from diffusers import AutoencoderKL

vae = AutoencoderKL.from_pretrained("models/base", subfolder="vae").to("cuda")
processor = VaeImageProcessor()
pixels = processor.preprocess(Image.open("inputs/photo.png").convert("RGB").resize((64, 64)))
with torch.no_grad():
    print(vae.encode(pixels).latent_dist.mode().shape)
