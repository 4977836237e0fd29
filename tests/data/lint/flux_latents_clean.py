# argv: --seed 4
"""argparse, os.path, json; nothing is wrong."""
import argparse
import json
import os

import numpy as np
import torch
from diffusers import AutoencoderKL, EulerDiscreteScheduler, UNet2DConditionModel
from PIL import Image


def to_image(x):
    x = (x / 2 + 0.5).clamp(0, 1)
    x = x.permute(0, 2, 3, 1).float().cpu().numpy()
    return [Image.fromarray((y * 255).round().astype("uint8")) for y in x]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="out")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet").to(args.device)
    vae = AutoencoderKL.from_pretrained("models/base", subfolder="vae").to(args.device)
    scheduler = EulerDiscreteScheduler.from_pretrained("models/base", subfolder="scheduler")
    scheduler.set_timesteps(2)
    g = torch.Generator(args.device)
    g.manual_seed(args.seed)
    x = torch.randn((1, 4, 32, 32), generator=g, device=args.device) * scheduler.init_noise_sigma
    states = torch.zeros((1, 77, 768), device=args.device)
    with torch.inference_mode():
        for t in scheduler.timesteps:
            eps = unet(scheduler.scale_model_input(x, t), t, states).sample
            x = scheduler.step(eps, t, x).prev_sample
        images = to_image(vae.decode(x / 0.18215).sample)
    for i, image in enumerate(images):
        image.save(os.path.join(args.out, f"{args.seed:04d}-{i}.jpg"))
    with open(os.path.join(args.out, "run.json"), "w") as f:
        json.dump(vars(args), f)


if __name__ == "__main__":
    main()
