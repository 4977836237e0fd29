"""Widens the first convolution for inpainting."""
import torch
from diffusers import UNet2DConditionModel
from torch import nn

unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet").to("cuda")
old = unet.conv_in
new = nn.Conv2d(4, old.out_channels, 3, padding=1)
new.load_state_dict(old.state_dict())
unet.conv_in = new
with torch.no_grad():
    x = torch.randn(1, 4, 32, 32, device="cuda")
    print(unet(x, 3, torch.zeros(1, 77, 768, device="cuda")).sample.shape)
