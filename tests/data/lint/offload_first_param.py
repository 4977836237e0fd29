"""Model offload, and a helper that asks the first parameter."""
import torch
from diffusers import StableDiffusionPipeline

pipe = StableDiffusionPipeline.from_pretrained("models/base", torch_dtype=torch.float16)
pipe.enable_model_cpu_offload()


def latents_for(model, size=64):
    device = next(model.parameters()).device
    return torch.randn(1, 4, size, size, device=device, dtype=torch.float16)


image = pipe("a mill", latents=latents_for(pipe.unet), num_inference_steps=2).images[0]
image.save("mill.png")
