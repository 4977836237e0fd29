"""Lazy global model; the first caller moves it, the second loads it anew."""
import torch
from transformers import CLIPTextModel

_model = None


def model():
    global _model
    if _model is None:
        _model = CLIPTextModel.from_pretrained("models/base", subfolder="text_encoder")
    return _model


def encode(ids):
    with torch.no_grad():
        return model()(ids)[0]


print(encode(torch.zeros(1, 77, dtype=torch.long, device="cuda")).shape)
