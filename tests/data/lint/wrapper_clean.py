"""The same idea with one loop that moves every part."""
import torch
from diffusers import AutoencoderKL, DDIMScheduler, UNet2DConditionModel
from transformers import CLIPTextModel, CLIPTokenizer


class Painter:
    parts = ("encoder", "unet", "vae")

    def __init__(self, root):
        self.tokenizer = CLIPTokenizer.from_pretrained(root, subfolder="tokenizer")
        self.encoder = CLIPTextModel.from_pretrained(root, subfolder="text_encoder")
        self.unet = UNet2DConditionModel.from_pretrained(root, subfolder="unet")
        self.vae = AutoencoderKL.from_pretrained(root, subfolder="vae")
        self.scheduler = DDIMScheduler.from_pretrained(root, subfolder="scheduler")

    def to(self, device):
        for name in self.parts:
            setattr(self, name, getattr(self, name).to(device))
        return self

    @property
    def device(self):
        return next(self.unet.parameters()).device

    @torch.inference_mode()
    def run(self, prompt):
        batch = self.tokenizer([prompt, ""], padding="max_length", return_tensors="pt").to(self.device)
        cond, uncond = self.encoder(**batch)[0].chunk(2)
        x = torch.randn((1, 4, 32, 32), device=self.device)
        self.scheduler.set_timesteps(2, device=self.device)
        for t in self.scheduler.timesteps:
            a = self.unet(x, t, cond).sample
            b = self.unet(x, t, uncond).sample
            x = self.scheduler.step(b + 7.5 * (a - b), t, x).prev_sample
        return self.vae.decode(x / self.vae.config.scaling_factor).sample


print(Painter("models/base").to("cuda").run("a red bridge").mean().item())
