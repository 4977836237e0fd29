import os

import torch
from diffusers import AutoencoderKL


def pick(kind):
    match kind:
        case "half":
            return torch.float16
        case "brain":
            return torch.bfloat16
        case _:
            return torch.float32


if (dtype := pick(os.environ.get("KIND", "full"))) is not torch.float32:
    print("low precision")
vae = AutoencoderKL.from_pretrained("models/base", subfolder="vae", torch_dtype=dtype).to("cuda")
with torch.no_grad():
    z = torch.randn(1, 4, 16, 16, device=vae.device, dtype=vae.dtype)
    print(vae.decode(z).sample.float().cpu().numpy().mean())
