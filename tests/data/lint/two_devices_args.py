"""Text encoder on one card, unet on the other; the states are not carried over."""
import torch
from diffusers import UNet2DConditionModel
from transformers import CLIPTextModel

first, second = torch.device("cuda", 0), torch.device("cuda", 1)
encoder = CLIPTextModel.from_pretrained("models/base", subfolder="text_encoder").to(first).eval()
unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet")
unet.to(second).eval()
with torch.no_grad():
    states = encoder(torch.zeros(1, 77, dtype=torch.long, device=first))[0]
    x = torch.randn(1, 4, 32, 32, device=second)
    print(unet(x, 5, states).sample.shape)
