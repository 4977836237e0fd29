#!/usr/bin/env python3
"""Makes tests/data/models: what PyTorch, diffusers and transformers compute for single blocks of the networks, in float32.

    make_model_blocks.py

Needs torch==2.15.0, diffusers==0.42.1, transformers==5.24.0; byte-identical when run again on the same processor.
A block is NAME.json, a manifest of its weights, and NAME.safetensors, its inputs "in.X" and results "out.X". The weights are
those that tools/synth makes of the manifest, rounded to float16, so that they need not be stored.
"""

import json
import math
import pathlib

import numpy as np
import torch
from diffusers import AutoencoderKL, AutoencoderTiny
from diffusers.models.embeddings import TimestepEmbedding, Timesteps
from diffusers.models.resnet import ResnetBlock2D
from diffusers.models.transformers.transformer_2d import Transformer2DModel
from safetensors.torch import save
from transformers import CLIPTextConfig, CLIPTextModelWithProjection
from transformers.activations import QuickGELUActivation

OUT = pathlib.Path(__file__).resolve().parents[1] / "data/models"
torch.manual_seed(20)
torch.set_num_threads(1)
torch.set_grad_enabled(False)


def uniform(key, count):
    """The numbers of tools/synth: FNV-1a of the key, splitmix64 over the elements."""
    state = 0xCBF29CE484222325
    for byte in key.encode():
        state = ((state ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    with np.errstate(over="ignore"):
        z = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(state)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z >> np.uint64(40)).astype(np.float64) / (1 << 23) - 1.0


def stand_in(key, shape):
    values = uniform(key, math.prod(shape))
    if len(shape) >= 2:
        values *= math.sqrt(3.0 / math.prod(shape[1:]))
    elif key.endswith("weight"):
        values = 1 + 0.1 * values
    else:
        values *= 0.1
    return torch.from_numpy(values.astype(np.float32).reshape(shape)).half().float()


def write(name, inputs, outputs, modules=None):
    """modules: places and the modules there, whose weights were filled."""
    tensors = {f"in.{key}": value.contiguous() for key, value in inputs.items()}
    tensors |= {f"out.{key}": value.contiguous() for key, value in outputs.items()}
    (OUT / f"{name}.safetensors").write_bytes(save(tensors))
    if modules:
        rows = [[key, "float32", list(value.shape)] for key, value in weights(modules)]
        text = json.dumps({"name": name, "note": "a block", "tensors": rows}, separators=(",", ":"))
        (OUT / f"{name}.json").write_text(text.replace("],[", "],\n[") + "\n")


def weights(modules):
    for place, module in modules.items():
        for key, value in module.state_dict().items():
            if value.dtype == torch.float32:
                yield (f"{place}.{key}" if place else key), value


def filled(modules):
    for key, value in weights(modules):
        value.copy_(stand_in(key, value.shape))
    for module in modules.values():
        module.eval()
    return modules


def layers():
    gelu = torch.linspace(-6, 6, 49)
    steps = torch.tensor([0.0, 1.0, 501.5, 999.0])
    sinusoids = Timesteps(64, flip_sin_to_cos=True, downscale_freq_shift=0)(steps)
    pooled = torch.randn(2, 8)
    ids = torch.tensor([[1024.0, 768, 0, 16, 1024, 768], [512, 512, 128, 0, 1024, 1024]])
    waves = Timesteps(256, flip_sin_to_cos=True, downscale_freq_shift=0)(ids.flatten()).reshape(2, -1)
    q, k, v = torch.randn(2, 5, 16), torch.randn(2, 7, 16), torch.randn(2, 7, 16)
    split = lambda x: x.reshape(2, -1, 2, 8).transpose(1, 2)
    attend = lambda k, v, mask=None: torch.nn.functional.scaled_dot_product_attention(
        split(q), split(k), split(v), attn_mask=mask).transpose(1, 2).reshape(2, -1, 16)
    mask = torch.full((5, 5), -10000.0).triu(1)
    write("layers", {"gelu": gelu, "timestep": steps, "pooled": pooled, "time_ids": ids, "q": q, "k": k, "v": v, "mask": mask},
          {"gelu": torch.nn.functional.gelu(gelu), "quick_gelu": QuickGELUActivation()(gelu), "sinusoids": sinusoids,
           "vector": torch.cat([pooled, waves], 1), "attention": attend(k, v), "masked": attend(k[:, :5], v[:, :5], mask)})


def norms():
    modules = filled({"group": torch.nn.GroupNorm(32, 64, eps=1e-6), "layer": torch.nn.LayerNorm(24)})
    small = 1e-4 * torch.randn(1, 64, 3, 5) + 0.01
    tokens = torch.randn(2, 3, 24)
    write("norms", {"small": small, "tokens": tokens},
          {"group": modules["group"](small), "layer": modules["layer"](tokens)}, modules)


def resnets():
    modules = filled({
        "timed": ResnetBlock2D(in_channels=64, out_channels=32, temb_channels=48, eps=1e-5),
        "plain": ResnetBlock2D(in_channels=32, out_channels=32, temb_channels=None, eps=1e-6)})
    x, time = torch.randn(2, 64, 3, 5), torch.randn(2, 48)
    write("resnets", {"x": x, "time": torch.nn.functional.silu(time), "y": x[:, :32]},
          {"timed": modules["timed"](x, time), "plain": modules["plain"](x[:, :32], None)}, modules)


def transformer():
    """A UNet that is little more than its middle: one transformer with GEGLU, then one resnet over the only skip."""
    def modules(linear):
        return {
            "conv_in": torch.nn.Conv2d(4, 32, 3, padding=1),
            "time_embedding": TimestepEmbedding(32, 48),
            "mid_block.attentions.0": Transformer2DModel(2, 16, in_channels=32, cross_attention_dim=24, num_layers=1,
                                                         norm_num_groups=32, use_linear_projection=linear),
            "up_blocks.0.resnets.0": ResnetBlock2D(in_channels=64, out_channels=32, temb_channels=48, eps=1e-5),
            "conv_norm_out": torch.nn.GroupNorm(32, 32, eps=1e-5),
            "conv_out": torch.nn.Conv2d(32, 4, 3, padding=1),
        }
    sample, timestep, context = torch.randn(2, 4, 3, 5), torch.tensor([7.0, 951.0]), torch.randn(2, 6, 24)
    for name, linear in ("transformer", False), ("transformer-linear", True):
        m = filled(modules(linear))
        time = m["time_embedding"](Timesteps(32, flip_sin_to_cos=True, downscale_freq_shift=0)(timestep))
        skip = m["conv_in"](sample)
        x = m["mid_block.attentions.0"](skip, encoder_hidden_states=context).sample
        x = m["up_blocks.0.resnets.0"](torch.cat([x, skip], 1), time)
        out = m["conv_out"](torch.nn.functional.silu(m["conv_norm_out"](x)))
        write(name, {"sample": sample, "timestep": timestep, "encoder_hidden_states": context}, {"out_sample": out}, m)


def text_encoder():
    for name, activation in ("text-quick-gelu", "quick_gelu"), ("text-gelu", "gelu"):
        config = CLIPTextConfig(vocab_size=99, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                                num_attention_heads=2, max_position_embeddings=9, hidden_act=activation, projection_dim=16,
                                bos_token_id=97, eos_token_id=98, pad_token_id=98)
        model = CLIPTextModelWithProjection(config)
        model.set_attn_implementation("eager")
        modules = filled({"": model})
        # The second fills the window; the first is padded with its end.
        ids = torch.tensor([[97, 5, 98, 98, 98, 98, 98, 98, 98], [97, 1, 2, 3, 4, 5, 6, 7, 98]])
        out = model(ids, output_hidden_states=True)
        norm = model.text_model.final_layer_norm
        end = torch.tensor([2, 8])
        pooled = out.last_hidden_state[torch.arange(2), end]
        assert torch.equal(model.text_projection(pooled), out.text_embeds)
        states = {f"hidden_states.{i}": state for i, state in enumerate(out.hidden_states)}
        write(name, {"input_ids": ids},
              {"last_hidden_state": out.last_hidden_state, "pooler_output": pooled, "text_embeds": out.text_embeds,
               "penultimate_normed": norm(out.hidden_states[-2])} | states, modules)


def vae():
    model = AutoencoderKL(block_out_channels=(32, 64), down_block_types=("DownEncoderBlock2D",) * 2,
                          up_block_types=("UpDecoderBlock2D",) * 2, layers_per_block=1, latent_channels=4, norm_num_groups=32)
    modules = filled({"": model})
    latent, image = torch.randn(1, 4, 3, 2), torch.rand(1, 3, 6, 10) * 2 - 1
    moments = model.quant_conv(model.encoder(image))
    write("vae", {"latent": latent, "image": image},
          {"image": model.decoder(model.post_quant_conv(latent)), "moments": moments}, modules)


def tiny_vae():
    model = AutoencoderTiny(encoder_block_out_channels=(8, 8), num_encoder_blocks=(1, 2),
                            decoder_block_out_channels=(8, 8, 8), num_decoder_blocks=(2, 1, 1))
    modules = filled({"": model})
    latent, image = 4 * torch.randn(1, 4, 3, 2), torch.rand(1, 3, 6, 10) * 2 - 1
    write("tiny-vae", {"latent": latent, "image": image},
          {"image": model.decode(latent).sample, "latent": model.encode(image).latents}, modules)


def published_tiny_vae():
    """A case of tests/reference: TAESD in its published widths, whose manifest is there."""
    model = filled({"": AutoencoderTiny()})[""]
    latent, image = torch.randn(2, 4, 3, 5), torch.rand(1, 3, 24, 40) * 2 - 1
    tensors = {"in.latent_sample": latent, "in.pixels": image, "out.sample": model.decode(latent).sample,
               "out.latent_sample": model.encode(image).latents}
    meta = {"manifest": "diffusers/taesd", "component": "vae", "reference": "diffusers"}
    (OUT.parent / "cases/taesd-vae.safetensors").write_bytes(in_order(save(tensors, meta)))


def narrow_tiny_vae():
    """tests/data/manifests/tiny/taesd.json: the published layers, 16 wide."""
    model = AutoencoderTiny(encoder_block_out_channels=(16,) * 4, decoder_block_out_channels=(16,) * 4)
    rows = [[key, "float32", list(value.shape)] for key, value in model.state_dict().items()]
    manifest = {"name": "tiny/taesd", "note": "AutoencoderTiny (TAESD), narrow",
                "parameters": sum(value.numel() for value in model.state_dict().values()), "tensors": rows}
    text = json.dumps(manifest, separators=(",", ":"))
    (OUT.parent / "manifests/tiny/taesd.json").write_text(text.replace("],[", "],\n[") + "\n")


def in_order(data):
    """The metadata of a safetensors file sorted, which the writer leaves as it happens to come."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data[8 + size:]


OUT.mkdir(parents=True, exist_ok=True)
for make in layers, norms, resnets, transformer, text_encoder, vae, tiny_vae, published_tiny_vae, narrow_tiny_vae:
    make()
