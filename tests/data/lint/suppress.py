import contextlib

import torch
from diffusers import ControlNetModel

net = ControlNetModel.from_pretrained("models/canny")
with contextlib.suppress(RuntimeError):
    net.to("cuda")
print(net.device)
