"""A small text-to-image class that keeps its parts as attributes."""
import torch
from diffusers import AutoencoderKL, DDIMScheduler, UNet2DConditionModel
from transformers import CLIPTextModel, CLIPTokenizer


class Painter:
    def __init__(self, root, device="cuda", dtype=torch.float32):
        self.device, self.dtype = torch.device(device), dtype
        self.tokenizer = CLIPTokenizer.from_pretrained(root, subfolder="tokenizer")
        self.encoder = CLIPTextModel.from_pretrained(root, subfolder="text_encoder").to(self.device)
        self.unet = UNet2DConditionModel.from_pretrained(root, subfolder="unet").to(self.device)
        self.vae = AutoencoderKL.from_pretrained(root, subfolder="vae")
        self.scheduler = DDIMScheduler.from_pretrained(root, subfolder="scheduler")

    def states(self, prompt):
        ids = self.tokenizer(prompt, return_tensors="pt", padding="max_length").input_ids
        return self.encoder(ids.to(self.device)).last_hidden_state

    @torch.no_grad()
    def __call__(self, prompt, steps=3, seed=0):
        generator = torch.Generator(self.device).manual_seed(seed)
        latents = torch.randn(1, 4, 32, 32, generator=generator, device=self.device, dtype=self.dtype)
        context = self.states(prompt)
        self.scheduler.set_timesteps(steps)
        for t in self.scheduler.timesteps:
            noise = self.unet(latents, t, encoder_hidden_states=context).sample
            latents = self.scheduler.step(noise, t, latents).prev_sample
        return self.vae.decode(latents / 0.18215).sample.cpu()


painter = Painter("models/base")
print(painter("a lighthouse").shape)
