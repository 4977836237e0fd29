import numpy as np
import torch
from PIL import Image

x = torch.randn(1, 4, 64, 64, device="cuda")
mask = np.array(Image.open("inputs/mask.png").convert("L").resize((64, 64))) > 127
mask = torch.tensor(mask)
print(torch.where(mask, x, torch.zeros_like(x)).sum())
