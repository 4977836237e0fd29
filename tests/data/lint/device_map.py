import torch
from transformers import CLIPTextModel, CLIPTokenizer

tok = CLIPTokenizer.from_pretrained("models/base")
enc = CLIPTextModel.from_pretrained("models/base", device_map="auto")
where = next(enc.parameters()).device
ids = tok("a mill", padding="max_length", return_tensors="pt").input_ids.to(where)
with torch.no_grad():
    print(enc(ids)[0].shape)
