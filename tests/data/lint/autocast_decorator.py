import torch
from torch import nn


class Mix(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(8, 8)

    def forward(self, x):
        return self.proj(x).tanh()


def export(model, path):
    x = torch.randn(1, 8, device="cuda")
    with torch.no_grad():
        torch.onnx.export(model, (x,), path, input_names=["x"], output_names=["y"], opset_version=17, dynamo=False)


mix = Mix().to("cuda").eval()
with torch.cuda.amp.autocast():
    export(mix, "mix.onnx")
