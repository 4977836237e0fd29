"""Puts the text encoder back on the CPU and forgets that it is needed once more."""
import torch
from transformers import CLIPTextModel, CLIPTokenizer

tokenizer = CLIPTokenizer.from_pretrained("models/base", subfolder="tokenizer")
encoder = CLIPTextModel.from_pretrained("models/base", subfolder="text_encoder").to("cuda").eval()


@torch.no_grad()
def states(prompt):
    ids = tokenizer(prompt, padding="max_length", return_tensors="pt").input_ids.to("cuda")
    return encoder(ids)[0]


first = states("a boat")
encoder.to("cpu")
second = states("a boat at night")
print((first - second).abs().mean())
