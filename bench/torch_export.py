"""How do sinter's graphs run against those that torch.onnx.export writes of the same network?

    python bench/torch_export.py CHECKPOINT.safetensors OUT_DIR [--dtype fp32|fp16] [--sinter build/release/bin/sinter]

CHECKPOINT holds one UNet of Stable Diffusion 1.5 in the diffusers layout (sinter-synth makes one from
tests/data/manifests/diffusers/sd15-unet.json). Exports it with PyTorch, converts it with sinter, and times one step of both
(batch 2, 512x512) in one run with `sinter bench`. Needs torch, diffusers, onnx and onnxscript; says so when they are missing.

Last numbers: bench/README.md.
"""
import argparse
import pathlib
import subprocess
import sys
import time

try:
    import torch
    from diffusers import UNet2DConditionModel
    from safetensors.torch import load_file
except ImportError as missing:
    sys.exit(f"this comparison needs PyTorch and diffusers: {missing}")

CONFIG = dict(
    sample_size=64, in_channels=4, out_channels=4, layers_per_block=2, block_out_channels=[320, 640, 1280, 1280],
    cross_attention_dim=768, attention_head_dim=8,
    down_block_types=["CrossAttnDownBlock2D"] * 3 + ["DownBlock2D"],
    up_block_types=["UpBlock2D"] + ["CrossAttnUpBlock2D"] * 3)


class Denoiser(torch.nn.Module):
    """The UNet with tensors for arguments and result, as an ONNX graph has them."""

    def __init__(self, unet):
        super().__init__()
        self.unet = unet

    def forward(self, sample, timestep, encoder_hidden_states):
        return self.unet(sample, timestep, encoder_hidden_states, return_dict=False)[0]


def export(checkpoint, path, dtype):
    with torch.device("meta"):
        unet = UNet2DConditionModel(**CONFIG)
    state = {name: tensor.to(dtype) for name, tensor in load_file(checkpoint).items()}
    unet.load_state_dict(state, assign=True)
    inputs = (torch.randn(2, 4, 64, 64, dtype=dtype), torch.tensor([981.0, 981.0], dtype=dtype), torch.randn(2, 77, 768, dtype=dtype))
    path.parent.mkdir(parents=True, exist_ok=True)
    with torch.no_grad():
        torch.onnx.export(
            Denoiser(unet.eval()), inputs, str(path), input_names=["sample", "timestep", "encoder_hidden_states"],
            output_names=["out_sample"], opset_version=18, external_data=True,
            dynamic_shapes={"sample": {0: "batch", 2: "height", 3: "width"}, "timestep": {0: "batch"},
                            "encoder_hidden_states": {0: "batch", 1: "sequence"}})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--dtype", choices=["fp32", "fp16"], default="fp32")
    parser.add_argument("--sinter", default="build/release/bin/sinter")
    arguments = parser.parse_args()

    theirs = arguments.out / f"torch-{arguments.dtype}" / "model.onnx"
    if not theirs.exists():
        start = time.time()
        export(arguments.checkpoint, theirs, torch.float16 if arguments.dtype == "fp16" else torch.float32)
        print(f"torch.onnx.export ({torch.__version__}): {time.time() - start:.1f} s")
    ours = arguments.out / f"sinter-{arguments.dtype}"
    subprocess.run([arguments.sinter, "convert", arguments.checkpoint, ours, "--precision", arguments.dtype], check=True)
    subprocess.run([arguments.sinter, "bench", ours / "unet" / "model.onnx", "--against", theirs, "--batch", "2",
                    "--width", "512", "--height", "512"], check=True)


if __name__ == "__main__":
    main()
