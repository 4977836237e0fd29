import torch
from diffusers import StableDiffusionPipeline

pipe = StableDiffusionPipeline.from_pretrained("models/base", torch_dtype=torch.float16)
preview = pipe("a kite", num_inference_steps=1).images[0]
pipe = pipe.to("cuda")
final = pipe("a kite", num_inference_steps=2).images[0]
print(preview.size, final.size)
