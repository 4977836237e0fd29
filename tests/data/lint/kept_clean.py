import torch
from diffusers import AutoencoderKL

vae = AutoencoderKL.from_pretrained("models/base", subfolder="vae").to("cuda")


@torch.no_grad()
def decode(latents, size=1):
    parts = []
    for i in range(0, latents.shape[0], size):
        parts.append(vae.decode(latents[i:i + size]).sample)
    return torch.cat(parts)


@torch.no_grad()
def decode_to_host(latents):
    out = []
    for one in latents.split(1):
        out.append(vae.decode(one).sample.clamp(-1, 1).cpu())
    return out


x = torch.randn(3, 4, 16, 16, device="cuda")
print(decode(x).shape, len(decode_to_host(x)))
