"""What works in place: modules, pipelines, encodings."""
import torch
from diffusers import AutoencoderKL, StableDiffusionPipeline, UNet2DConditionModel
from transformers import CLIPTextModel, CLIPTokenizer

vae = AutoencoderKL.from_pretrained("models/base", subfolder="vae")
pipe = StableDiffusionPipeline.from_pretrained("models/base", vae=vae, safety_checker=None)
pipe.to("cuda")
unet = UNet2DConditionModel.from_pretrained("models/base", subfolder="unet")
text = CLIPTextModel.from_pretrained("models/base", subfolder="text_encoder")
for model in (unet, text):
    model.to("cuda").eval()
tokens = CLIPTokenizer.from_pretrained("models/base")("a barn", padding="max_length", return_tensors="pt")
tokens.to("cuda")
with torch.no_grad():
    states = text(tokens.input_ids, attention_mask=tokens.attention_mask).last_hidden_state
    x = torch.randn(1, 4, 32, 32).to(unet.device)
    x = x - unet(x, torch.tensor(12), states).sample
    print(pipe.vae.decode(x).sample.shape)
