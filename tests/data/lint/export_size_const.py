"""ControlNet export at a portrait size."""
import torch
from diffusers import ControlNetModel

HEIGHT = 712
WIDTH = 512


class Wrapped(torch.nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x, t, states, hint):
        down, mid = self.net(x, t, states, hint, return_dict=False)
        return (*down, mid)


net = Wrapped(ControlNetModel.from_pretrained("models/canny")).eval()
args = (torch.randn(1, 4, HEIGHT // 8, WIDTH // 8), torch.tensor([5.0]), torch.zeros(1, 77, 768),
        torch.zeros(1, 3, HEIGHT, WIDTH))
with torch.no_grad():
    torch.onnx.export(net, args, "control.onnx", input_names=["x", "t", "states", "hint"], opset_version=17,
                      dynamo=False)
