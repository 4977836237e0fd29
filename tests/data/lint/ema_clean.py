"""A copy of the unet keeps the device of the original."""
import copy

import torch
from diffusers import UNet2DConditionModel

unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet").to("cuda")
ema = copy.deepcopy(unet).requires_grad_(False).eval()
with torch.no_grad():
    for a, b in zip(ema.parameters(), unet.parameters()):
        a.lerp_(b, 0.01)
    x = torch.randn(1, 4, 32, 32, device="cuda")
    print(ema(x, 2, torch.zeros(1, 77, 768, device="cuda")).sample.std())
