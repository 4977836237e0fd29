"""Negative prompt states come from a file, the others from the encoder."""
import torch
from safetensors.torch import load_file
from transformers import CLIPTextModel

enc = CLIPTextModel.from_pretrained("models/base", subfolder="text_encoder").to("cuda").eval()
negative = load_file("cache/negative-cond.safetensors")["cond"]
with torch.no_grad():
    positive = enc(torch.ones(1, 77, dtype=torch.long, device="cuda"))[0]
print(torch.cat([negative, positive]).shape)
