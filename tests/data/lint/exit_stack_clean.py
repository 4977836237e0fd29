from contextlib import ExitStack

import torch
from torch import nn

net = nn.Linear(8, 8).eval()
with ExitStack() as contexts:
    contexts.enter_context(torch.no_grad())
    torch.onnx.export(net, torch.randn(1, 8), "net.onnx", input_names=["x"], opset_version=17, dynamo=False)
