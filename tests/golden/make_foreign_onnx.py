"""Small exports of PyTorch, as other people make them, for the tests of check and fold.

Made with torch 2.15.0, diffusers 0.42.1, onnx 1.23.2:  python make_foreign_onnx.py ../data/check
The same versions give the same bytes. Weights are random; the shapes of the graphs are what matters.
"""

import pathlib
import sys
import warnings

import torch
import torch.nn.functional as F
from diffusers import AutoencoderKL, UNet2DConditionModel
from diffusers.models.attention_processor import AttnProcessor
from torch import nn

warnings.filterwarnings("ignore")
OUT = pathlib.Path(sys.argv[1])
PICTURE = {0: "batch", 2: "height", 3: "width"}


def export(module, args, name, inputs, outputs, axes, **options):
    torch.onnx.export(
        module.eval(), args, OUT / name, input_names=inputs, output_names=outputs,
        dynamic_axes=axes, opset_version=17, dynamo=False, **options)


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.unet = UNet2DConditionModel(
            sample_size=8, block_out_channels=(4, 8), layers_per_block=1, attention_head_dim=2,
            down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), norm_num_groups=2,
            up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"), cross_attention_dim=8)
        self.unet.set_attn_processor(AttnProcessor())

    def forward(self, sample, timestep, context):
        return self.unet(sample, timestep, context, return_dict=False)[0]


class Encoder(nn.Module):
    """As the diffusers script exports it: the latent is drawn inside."""

    def __init__(self):
        super().__init__()
        self.vae = AutoencoderKL(block_out_channels=(4,), norm_num_groups=2, latent_channels=4)

    def forward(self, image):
        return self.vae.encode(image, return_dict=False)[0].sample()


class Skip(nn.Module):
    """Halves and doubles: odd sizes do not come back."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Conv2d(4, 8, 3, padding=1)
        self.down = nn.Conv2d(8, 8, 3, 2, 1)
        self.outer = nn.Conv2d(16, 4, 3, padding=1)

    def join(self, x, y):
        return F.interpolate(y, scale_factor=2.0)

    def forward(self, sample):
        x = self.inner(sample)
        return self.outer(torch.cat([x, self.join(x, self.down(x))], 1))


class Baked(Skip):
    """The sizes of the export are Python numbers and stay in the graph."""

    def join(self, x, y):
        batch, channels, height, width = [int(size) for size in y.shape]
        rows = y.reshape(batch, channels, height * width).transpose(1, 2)
        y = rows.transpose(1, 2).reshape(batch, channels, height, width)
        return F.interpolate(y, size=[int(size) for size in x.shape[2:]])


class Cubic(nn.Module):
    def forward(self, x):
        return F.interpolate(x, scale_factor=2.0, mode="bicubic")


class Double(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8).double()

    def forward(self, x):
        return self.linear(x.double()).float()


def main():
    torch.manual_seed(0)
    arguments = (torch.randn(2, 4, 16, 16), torch.ones(2), torch.randn(2, 77, 8))
    names = ["sample", "timestep", "encoder_hidden_states"]
    axes = {"sample": PICTURE, "timestep": {0: "batch"},
            "encoder_hidden_states": {0: "batch", 1: "sequence"}}
    export(UNet(), arguments, "unet.onnx", names, ["out_sample"], axes, do_constant_folding=False)
    export(Encoder(), (torch.randn(1, 3, 16, 16),), "random.onnx", ["sample"], ["latent_sample"],
           {"sample": PICTURE})
    picture = (torch.randn(1, 4, 64, 64),)
    for module, name in [(Skip(), "skip.onnx"), (Baked(), "baked.onnx"), (Cubic(), "cubic.onnx")]:
        export(module, picture, name, ["sample"], ["out_sample"], {"sample": PICTURE})
    export(Double(), (torch.randn(1, 8),), "double.onnx", ["x"], ["y"], {"x": {0: "batch"}})


main()
