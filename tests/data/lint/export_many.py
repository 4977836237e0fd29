"""Exports a projection in the state in which it was trained."""
import torch
from torch import nn

OPSET = 13


class Projection(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(512, 768), nn.GELU(), nn.Dropout(0.1), nn.LayerNorm(768))

    def forward(self, embeds, scale):
        return self.net(embeds) * scale


model = Projection()
names = ["embeds", "scale", "extra"]
torch.onnx.export(model, (torch.randn(2, 512), torch.ones(2, 1)), "projection.onnx",
                  input_names=names, output_names=["tokens"], opset_version=OPSET, dynamo=False)
