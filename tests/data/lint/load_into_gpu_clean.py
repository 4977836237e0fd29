import torch
from diffusers import UNet2DConditionModel

device = "cuda"
unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet").to(device)
state = torch.load("runs/unet.pt", map_location=device, weights_only=True)
unet.load_state_dict(state, strict=False)
unet.eval()
with torch.no_grad():
    x = torch.randn(1, 4, 32, 32, device=device)
    print(unet(x, 5, torch.zeros(1, 77, 768, device=device)).sample.mean())
