"""Model on any device, inputs follow; parts by attribute path."""
import torch
from diffusers import UNet2DConditionModel


def device_of(model):
    return next(model.parameters()).device


def freeze(model, names=("conv_in", "conv_out")):
    for name in names:
        for p in getattr(model, name).parameters():
            p.requires_grad = False


unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet")
freeze(unet)
unet = unet.to("cuda" if torch.cuda.is_available() else "cpu")
x = torch.zeros(1, 4, 32, 32).to(device_of(unet), unet.dtype)
temb = unet.time_embedding(unet.time_proj(torch.tensor([7], device=x.device)).to(x.dtype))
first = unet.conv_in(x)
print(temb.shape, first.shape, unet.conv_in.weight.shape[0])
