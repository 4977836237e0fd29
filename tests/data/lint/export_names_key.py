"""Exports the decoder with a wrong key in dynamic_axes."""
import torch
from diffusers import AutoencoderKL


class Decoder(torch.nn.Module):
    def __init__(self, vae):
        super().__init__()
        self.vae = vae

    def forward(self, latent):
        return self.vae.decode(latent / 0.18215).sample


decoder = Decoder(AutoencoderKL.from_pretrained("models/base", subfolder="vae")).eval()
dummy = torch.randn(1, 4, 64, 64)
with torch.inference_mode():
    torch.onnx.export(decoder, (dummy,), "decoder.onnx", input_names=["latent"], output_names=["image"],
                      dynamic_axes={"latents": {0: "batch", 2: "h", 3: "w"}, "image": {0: "batch"}},
                      opset_version=17, dynamo=False)
