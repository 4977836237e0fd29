import torch
from diffusers import UNet2DConditionModel

unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet").to("cuda").eval()
saved = torch.load("cache/latents.cuda.pt", map_location="cuda", weights_only=True)
with torch.no_grad():
    print(unet(saved["latents"], 30, saved["cond"]).sample.shape)
