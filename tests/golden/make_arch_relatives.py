"""Networks that nobody published but that the same code builds: names and shapes in both layouts.

    python make_arch_relatives.py OUT.json

Needs diffusers 0.42.1 and torch 2.15.0 (any that build these configurations will do). The canonical
names and the shapes are diffusers' own; the original names follow the numbering of the original
constructor, in which a level of L resnets takes L + 1 blocks.
A row is [canonical module, original module, shape of its weight, whether it has a bias].
"""
import json
import re
import sys

import torch
from diffusers import AutoencoderKL, UNet2DConditionModel

RESNET = [("norm1", "in_layers.0"), ("conv1", "in_layers.2"), ("time_emb_proj", "emb_layers.1"),
          ("norm2", "out_layers.0"), ("conv2", "out_layers.3"), ("conv_shortcut", "skip_connection")]
OUTER = [("conv_in", "input_blocks.0.0"), ("time_embedding.linear_1", "time_embed.0"),
         ("time_embedding.linear_2", "time_embed.2"), ("add_embedding.linear_1", "label_emb.0.0"),
         ("add_embedding.linear_2", "label_emb.0.2"), ("conv_norm_out", "out.0"), ("conv_out", "out.2")]


def unet(channels, context, heads, depth=1, attention=None, linear=False, vector=None, layers=2):
    attention = attention or [True] * (len(channels) - 1) + [False]
    config = dict(
        sample_size=32, in_channels=4, out_channels=4, layers_per_block=layers, block_out_channels=channels,
        cross_attention_dim=context, attention_head_dim=heads, use_linear_projection=linear,
        transformer_layers_per_block=depth,
        down_block_types=["CrossAttnDownBlock2D" if a else "DownBlock2D" for a in attention],
        up_block_types=["CrossAttnUpBlock2D" if a else "UpBlock2D" for a in reversed(attention)])
    if vector:
        config.update(addition_embed_type="text_time", addition_time_embed_dim=256,
                      projection_class_embeddings_input_dim=vector)
    with torch.device("meta"):
        model = UNet2DConditionModel(**config)
    has_attention = {f"up_blocks.{i}" for i, a in enumerate(reversed(attention)) if a}
    return [[name, original_unet_name(name, layers, has_attention), list(value.shape)]
            for name, value in model.state_dict().items()]


def inside(rest):
    """The tail of a resnet's tensor in the original layout."""
    for new, old in RESNET:
        if rest.startswith(new + "."):
            return old + rest[len(new):]
    raise KeyError(rest)


def original_unet_name(name, layers, has_attention):
    for new, old in OUTER:
        if name.startswith(new + "."):
            return old + name[len(new):]
    block = layers + 1
    if m := re.fullmatch(r"down_blocks\.(\d+)\.(\w+)\.(\d+)\.(.*)", name):
        level, kind, index, rest = int(m[1]), m[2], int(m[3]), m[4]
        first = 1 + level * block
        if kind == "resnets":
            return f"input_blocks.{first + index}.0.{inside(rest)}"
        if kind == "attentions":
            return f"input_blocks.{first + index}.1.{rest}"
        return f"input_blocks.{first + layers}.0.op.{rest.removeprefix('conv.')}"
    if m := re.fullmatch(r"mid_block\.(\w+)\.(\d+)\.(.*)", name):
        kind, index, rest = m[1], int(m[2]), m[3]
        return f"middle_block.1.{rest}" if kind == "attentions" else f"middle_block.{2 * index}.{inside(rest)}"
    m = re.fullmatch(r"up_blocks\.(\d+)\.(\w+)\.(\d+)\.(.*)", name)
    level, kind, index, rest = int(m[1]), m[2], int(m[3]), m[4]
    first = level * block
    if kind == "resnets":
        return f"output_blocks.{first + index}.0.{inside(rest)}"
    if kind == "attentions":
        return f"output_blocks.{first + index}.1.{rest}"
    return f"output_blocks.{first + layers}.{2 if f'up_blocks.{level}' in has_attention else 1}.{rest}"


def vae(channels, layers=2):
    with torch.device("meta"):
        model = AutoencoderKL(
            in_channels=3, out_channels=3, latent_channels=4, layers_per_block=layers, block_out_channels=channels,
            down_block_types=["DownEncoderBlock2D"] * len(channels), up_block_types=["UpDecoderBlock2D"] * len(channels))
    return [[name, original_vae_name(name, len(channels)), list(value.shape)]
            for name, value in model.state_dict().items()]


def original_vae_name(name, levels):
    name = re.sub(r"up_blocks\.(\d+)", lambda m: f"up.{levels - 1 - int(m[1])}", name)
    for new, old in [("down_blocks.", "down."), ("mid_block.resnets.0", "mid.block_1"),
                     ("mid_block.resnets.1", "mid.block_2"), ("mid_block.attentions.0", "mid.attn_1"),
                     (".resnets.", ".block."), ("downsamplers.0", "downsample"), ("upsamplers.0", "upsample"),
                     ("group_norm", "norm"), ("to_q", "q"), ("to_k", "k"), ("to_v", "v"), ("to_out.0", "proj_out"),
                     ("conv_norm_out", "norm_out"), ("conv_shortcut", "nin_shortcut")]:
        name = name.replace(new, old)
    return name


RELATIVES = {
    "shallow": lambda: unet([64, 64, 128], 128, 8, attention=[False, True, True], layers=1),
    "deep": lambda: unet([64, 128, 192], 128, [1, 2, 3], depth=2, attention=[True, True, True], linear=True),
    "odd": lambda: unet([64, 128, 192], 320, [1, 2, 3], depth=[0, 1, 3], attention=[False, False, True],
                        linear=True, vector=1728),
    "vae3": lambda: vae([32, 64, 96]),
    "vae5": lambda: vae([32, 32, 64, 64, 96], layers=1),
}



def modules(rows):
    """One row a module instead of one a tensor."""
    biases = {name.removesuffix(".bias") for name, _, _ in rows if name.endswith(".bias")}
    return [[name.removesuffix(".weight"), original.removesuffix(".weight"), shape,
             int(name.removesuffix(".weight") in biases)]
            for name, original, shape in rows if name.endswith(".weight")]


if __name__ == "__main__":
    with open(sys.argv[1], "w") as file:
        json.dump({name: modules(make()) for name, make in RELATIVES.items()}, file, separators=(",", ":"))
        file.write("\n")
