"""Moves a batch in a loop, or so it seems."""
import torch
from transformers import CLIPTextModel, CLIPTokenizer

device = "cuda"
tok = CLIPTokenizer.from_pretrained("models/base")
enc = CLIPTextModel.from_pretrained("models/base").to(device).eval()
batch = {"input_ids": torch.zeros(1, 77, dtype=torch.long), "attention_mask": torch.ones(1, 77, dtype=torch.long)}
for value in batch.values():
    value.to(device)
with torch.no_grad():
    print(enc(**batch)[0].shape)
