"""Depth maps as floats."""
import numpy as np
import torch
from PIL import Image

depth = torch.rand(1, 1, 64, 64)
array = depth[0, 0].numpy()
Image.fromarray(array).save("depth.png")
Image.fromarray((array * 65535).astype(np.uint16)).save("depth16.png")
Image.fromarray((array * 255).astype(np.uint8)).save("depth.jpg")
