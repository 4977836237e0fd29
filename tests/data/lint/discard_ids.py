import torch
from transformers import CLIPTextModel, CLIPTokenizer

tok = CLIPTokenizer.from_pretrained("models/base")
enc = CLIPTextModel.from_pretrained("models/base").to("cuda").eval()
batch = tok("a hill", padding="max_length", return_tensors="pt")
ids = batch.input_ids
ids.to("cuda")
with torch.no_grad():
    print(enc(ids)[0].mean())
