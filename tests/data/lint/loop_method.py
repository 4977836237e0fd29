"""The same class, and somebody left the context out."""
import torch
from diffusers import DDIMScheduler, UNet2DConditionModel


class Sampler:
    def __init__(self, root):
        self.unet = UNet2DConditionModel.from_pretrained(root, subfolder="unet").to("cuda").eval()
        self.scheduler = DDIMScheduler.from_pretrained(root, subfolder="scheduler")

    def step(self, x, t, context):
        return self.scheduler.step(self.unet(x, t, context).sample, t, x).prev_sample

    def run(self, x, context, steps=3):
        self.scheduler.set_timesteps(steps)
        for t in self.scheduler.timesteps:
            x = self.step(x, t, context)
        return x.detach()


sampler = Sampler("models/base")
x = sampler.run(torch.randn(1, 4, 32, 32, device="cuda"), torch.zeros(1, 77, 768, device="cuda"))
print(x.cpu().numpy().std())
