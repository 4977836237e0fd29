"""Encodes a list of prompts and keeps them by name."""
import torch
from transformers import CLIPTextModel, CLIPTokenizer

tok = CLIPTokenizer.from_pretrained("models/base", subfolder="tokenizer")
enc = CLIPTextModel.from_pretrained("models/base", subfolder="text_encoder").cuda().eval()
cache = {}
with torch.no_grad(), open("inputs/prompts.txt") as lines:
    for line in lines:
        ids = tok(line.strip(), padding="max_length", return_tensors="pt").input_ids.cuda()
        cache[line] = enc(ids).last_hidden_state
print(len(cache))
