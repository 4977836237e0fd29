import sys

import torch
from diffusers import UNet2DConditionModel

unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet")
try:
    unet = unet.to("cuda")
except torch.cuda.OutOfMemoryError:
    print("not enough memory", file=sys.stderr)
    sys.exit(1)
try:
    unet.enable_xformers_memory_efficient_attention()
except Exception as error:
    print("no xformers:", error)
with torch.no_grad():
    print(unet(torch.randn(1, 4, 32, 32, device="cuda"), 1, torch.zeros(1, 77, 768, device="cuda")).sample.std())
