import torch
from diffusers import UNet2DConditionModel

unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet", torch_dtype=torch.float16).to("cuda")
with torch.inference_mode(), torch.autocast("cuda", dtype=torch.float16):
    x = torch.randn(1, 4, 32, 32, device="cuda", dtype=torch.float16)
    states = torch.zeros(1, 77, 768, device="cuda").half()
    for i, t in enumerate(range(900, 0, -300)):
        x = x - 0.1 * unet(x, t, encoder_hidden_states=states).sample
print(x.float().cpu().numpy().mean())
