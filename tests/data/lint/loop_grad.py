"""Img2img steps in a helper; nobody turns gradients off."""
import torch
from diffusers import AutoencoderKL, EulerDiscreteScheduler, UNet2DConditionModel


def denoise(unet, scheduler, x, context, steps):
    scheduler.set_timesteps(steps, device=x.device)
    for t in scheduler.timesteps:
        model_input = scheduler.scale_model_input(x, t)
        noise = unet(model_input, t, encoder_hidden_states=context).sample
        x = scheduler.step(noise, t, x)[0]
    return x


unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet").to("cuda")
scheduler = EulerDiscreteScheduler.from_pretrained("models/base", subfolder="scheduler")
x = torch.randn(1, 4, 32, 32, device="cuda") * 14.6
out = denoise(unet, scheduler, x, torch.zeros(1, 77, 768, device="cuda"), 4)
print(out.detach().cpu().numpy().shape)
