from dataclasses import dataclass, field

import torch
from diffusers import AutoencoderKL


@dataclass
class Config:
    root: str = "models/base"
    device: str = "cuda"
    size: int = 32
    dtype: torch.dtype = torch.float32


def load(cfg):
    return AutoencoderKL.from_pretrained(cfg.root, subfolder="vae").to(cfg.device, cfg.dtype)


def sample(cfg, count):
    return torch.randn(count, 4, cfg.size, cfg.size, dtype=cfg.dtype)


cfg = Config(size=16)
with torch.no_grad():
    print(load(cfg).decode(sample(cfg, 2)).sample.shape)
