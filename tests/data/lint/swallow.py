import logging

import torch
from diffusers import UNet2DConditionModel

log = logging.getLogger(__name__)
unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet")
try:
    unet.to("cuda")
except torch.cuda.OutOfMemoryError as error:
    log.warning("no room on the GPU: %s", error)
x = torch.randn(1, 4, 32, 32, device=unet.device)
with torch.no_grad():
    print(unet(x, 1, torch.zeros(1, 77, 768, device=unet.device)).sample.mean())
