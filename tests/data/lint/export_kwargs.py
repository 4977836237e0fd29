"""Two exports share their settings."""
import torch
from torch import nn

COMMON = dict(opset_version=14, do_constant_folding=False, dynamo=False)


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, x):
        return x * self.weight


model = Scale().eval()
with torch.no_grad():
    torch.onnx.export(model, (torch.ones(2, 4),), "scale.onnx", input_names=["x"], output_names=["y"],
                      dynamic_axes={"x": {0: "n"}, "y": {0: "n"}}, **COMMON)
