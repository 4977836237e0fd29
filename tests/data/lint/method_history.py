"""A recorder object that keeps every latent."""
import torch
from diffusers import DDIMScheduler, UNet2DConditionModel


class Recorder:
    def __init__(self):
        self.frames = []

    def add(self, latents):
        self.frames.append(latents)


unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet").to("cuda").eval()
scheduler = DDIMScheduler.from_pretrained("models/base", subfolder="scheduler")
scheduler.set_timesteps(4)
recorder = Recorder()
x = torch.randn(1, 4, 32, 32, device="cuda")
states = torch.zeros(1, 77, 768, device="cuda")
with torch.no_grad():
    for t in scheduler.timesteps:
        x = scheduler.step(unet(x, t, states).sample, t, x).prev_sample
        recorder.add(x)
print(len(recorder.frames))
