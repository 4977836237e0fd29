"""map() is lazy: the second group of models is never moved."""
import torch
from diffusers import AutoencoderKL, UNet2DConditionModel

device = torch.device("cuda")
unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet")
vae = AutoencoderKL.from_pretrained("models/base", subfolder="vae")
unet, = [m.to(device) for m in (unet,)]
map(lambda m: m.to(device), [vae])
with torch.no_grad():
    x = torch.randn(1, 4, 32, 32, device=device)
    x = x - unet(x, 3, torch.zeros(1, 77, 768, device=device)).sample
    print(vae.decode(x).sample.shape)
