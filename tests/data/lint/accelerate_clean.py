"""accelerate moves the model; the inputs take its device."""
import torch
from accelerate import Accelerator
from diffusers import UNet2DConditionModel

accelerator = Accelerator()
unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet")
unet = accelerator.prepare(unet)
x = torch.randn(1, 4, 32, 32, device=accelerator.device)
with torch.no_grad(), accelerator.autocast():
    out = unet(x, 7, torch.zeros(1, 77, 768).to(accelerator.device)).sample
print(accelerator.unwrap_model(unet).dtype, out.shape)
