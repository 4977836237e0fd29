# argv: --height 512
"""Size and opset from the command line; the defaults are bad."""
import argparse

import torch
from diffusers import UNet2DConditionModel

parser = argparse.ArgumentParser()
parser.add_argument("--height", type=int, default=520)
parser.add_argument("--width", type=int, default=512)
parser.add_argument("--opset", type=int, default=14)
args = parser.parse_args()
unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet").eval()
dummy = (torch.randn(1, 4, args.height // 8, args.width // 8), torch.tensor(1.0), torch.zeros(1, 77, 768))
with torch.no_grad():
    torch.onnx.export(unet, dummy, "unet.onnx", opset_version=args.opset, dynamo=False)
