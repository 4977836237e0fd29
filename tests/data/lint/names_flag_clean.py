import torch
from diffusers import UNet2DConditionModel

unet = UNet2DConditionModel.from_pretrained("base", subfolder="unet").eval()
args = (torch.randn(1, 4, 64, 64), torch.ones(1), torch.zeros(1, 77, 768), False)
with torch.no_grad():
    torch.onnx.export(unet, args, "unet.onnx", input_names=["sample", "timestep", "encoder_hidden_states", "return_dict"],
                      opset_version=17, dynamo=False)
