import torch
from diffusers import AutoencoderKL, UNet2DConditionModel
from transformers import CLIPTextModel

device = "cuda" if torch.cuda.is_available() else "cpu"
loaders = {
    "unet": (UNet2DConditionModel, "unet"),
    "vae": (AutoencoderKL, "vae"),
    "text_encoder": (CLIPTextModel, "text_encoder"),
}
models = {name: cls.from_pretrained("models/base", subfolder=sub).to(device).eval()
          for name, (cls, sub) in loaders.items()}
unet, vae, text = (models[k] for k in ("unet", "vae", "text_encoder"))
ids = torch.full((1, 77), 49407, device=device)
with torch.no_grad():
    x = torch.randn(1, 4, 32, 32, device=device)
    x = x - unet(x, 10, text(ids)[0]).sample
    print(vae.decode(x)[0].shape)
