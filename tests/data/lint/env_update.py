import os

from diffusers import UNet2DConditionModel

os.environ.update({"CUDA_VISIBLE_DEVICES": "0", "HF_HUB_OFFLINE": "1"})
os.environ.setdefault("CUDA_LAUNCH_BLOCKING", "1")
unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet").to("cuda")
print(unet.dtype)
