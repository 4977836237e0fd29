"""img2img: the picture passes the vae, the noise is made like it."""
import numpy as np
import torch
from diffusers import AutoencoderKL, DDIMScheduler, UNet2DConditionModel
from PIL import Image

DEVICE = "cuda"


def load_image(path, size=(256, 256)):
    with Image.open(path) as picture:
        array = np.array(picture.convert("RGB").resize(size), dtype=np.float32)
    return torch.from_numpy(array).permute(2, 0, 1)[None].div(127.5).sub(1.0)


@torch.no_grad()
def run(path, strength=0.6, steps=4):
    vae = AutoencoderKL.from_pretrained("models/base", subfolder="vae").to(DEVICE)
    unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet").to(DEVICE)
    scheduler = DDIMScheduler.from_pretrained("models/base", subfolder="scheduler")
    scheduler.set_timesteps(steps)
    start = int(steps * (1 - strength))
    x = vae.encode(load_image(path).to(vae.device)).latent_dist.sample() * 0.18215
    noise = torch.randn_like(x)
    x = scheduler.add_noise(x, noise, scheduler.timesteps[start:start + 1])
    context = x.new_zeros((1, 77, 768))
    for t in scheduler.timesteps[start:]:
        x = scheduler.step(unet(x, t, context).sample, t, x).prev_sample
    return vae.decode(x / 0.18215).sample


print(run("inputs/photo.png").cpu().numpy().shape)
