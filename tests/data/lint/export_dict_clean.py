"""Named inputs by a dictionary at the end of the arguments."""
import torch
from diffusers import UNet2DConditionModel

unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet").eval()
inputs = {
    "sample": torch.randn(2, 4, 64, 64),
    "timestep": torch.tensor(9.0),
    "encoder_hidden_states": torch.randn(2, 77, 768),
}
axes = {name: {0: "batch"} for name in ("sample", "encoder_hidden_states", "eps")}
with torch.no_grad():
    torch.onnx.export(unet, (), "unet.onnx", kwargs=inputs, input_names=list(inputs), output_names=["eps"],
                      dynamic_axes=axes, opset_version=17, dynamo=False)
