"""The hint is float32, the ControlNet half."""
import numpy as np
import torch
from diffusers import ControlNetModel
from PIL import Image

net = ControlNetModel.from_pretrained("models/canny", torch_dtype=torch.float16).to("cuda")
picture = np.asarray(Image.open("inputs/hint.png").convert("RGB").resize((256, 256)))
hint = torch.from_numpy(picture.copy()).permute(2, 0, 1)[None] / 255.0
hint = hint.to("cuda")
x = torch.randn(1, 4, 32, 32, device="cuda", dtype=torch.float16)
states = torch.zeros(1, 77, 768, device="cuda", dtype=torch.float16)
with torch.no_grad():
    down, mid = net(x, 4, states, hint, return_dict=False)
print(mid.shape)
