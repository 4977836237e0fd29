import numpy as np
import torch
from PIL import Image

picture = torch.rand(3, 64, 64, device="cuda")
array = np.asarray(picture.permute(1, 2, 0) * 255)
Image.fromarray(array.astype(np.uint8)).save("out.png")
