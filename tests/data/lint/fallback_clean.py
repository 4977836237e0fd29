import torch
from diffusers import UNet2DConditionModel

unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet")
try:
    unet.to("cuda")
    device = "cuda"
except RuntimeError:
    unet.to("cpu")
    device = "cpu"
x = torch.randn(1, 4, 32, 32, device=device)
with torch.no_grad():
    print(unet(x, 1, torch.zeros(1, 77, 768, device=device)).sample.mean())
