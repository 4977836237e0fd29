# argv: --steps 1
"""Flags choose device and type; everything follows them."""
import argparse

import torch
from diffusers import UNet2DConditionModel


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--half", action="store_true")
    parser.add_argument("--steps", type=int, default=2)
    return parser.parse_args()


args = parse()
device = torch.device("cpu" if args.cpu or not torch.cuda.is_available() else "cuda")
dtype = torch.float16 if args.half and device.type == "cuda" else torch.float32
unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet", torch_dtype=dtype)
if device.type != "cpu":
    unet = unet.to(device)
x = torch.randn(1, 4, 32, 32, device=device, dtype=dtype)
states = torch.zeros(1, 77, 768, device=device, dtype=dtype)
with torch.no_grad():
    for i in range(args.steps):
        x = x - 0.1 * unet(x, i, states).sample
print(x.shape)
