"""Latents and hint vary together, and one of them is nailed down."""
import torch
from diffusers import ControlNetModel

net = ControlNetModel.from_pretrained("models/canny").eval()
inputs = (torch.randn(1, 4, 64, 64), torch.tensor([1.0]), torch.zeros(1, 77, 768), torch.zeros(1, 3, 512, 512))
names = ["sample", "timestep", "encoder_hidden_states", "controlnet_cond"]
axes = {
    "sample": {0: "n", 2: "h", 3: "w"},
    "encoder_hidden_states": {0: "n"},
    "controlnet_cond": {0: "n"},
}
with torch.inference_mode():
    torch.onnx.export(net, inputs, "control.onnx", input_names=names, dynamic_axes=axes, opset_version=17, dynamo=False)
