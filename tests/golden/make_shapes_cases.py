#!/usr/bin/env python3
"""Makes tests/data/shapes: the reference results of models/shapes-sd1.safetensors, as cases for `sinter verify`, and of it with
models/shapes-controlnet.safetensors and models/shapes-lora.safetensors.

    make_shapes_cases.py GOLDEN_FOLDER

GOLDEN_FOLDER holds the results that diffusers 0.42.1 and transformers 5.24.0 computed in float32 (its meta.json describes
them). Needs numpy and pillow; byte-identical when run again.
"""

import json
import pathlib
import shutil
import struct
import sys

import numpy as np
from PIL import Image

golden = pathlib.Path(sys.argv[1])
folder = pathlib.Path(__file__).resolve().parents[1] / "data/shapes"
folder.mkdir(parents=True, exist_ok=True)
PROMPTS = ("p0", "p1", "p2")
LATENT_SCALE = 0.18215


def stored(name):
    return np.load(golden / f"{name}.npy")


def write(component, tensors):
    """A safetensors file with its tensors in the given order."""
    header = {"__metadata__": {"component": component, "checkpoint": "models/shapes-sd1.safetensors", "compute": "float32"}}
    body = b""
    for name, tensor in tensors.items():
        data = np.ascontiguousarray(tensor).tobytes()
        header[name] = {"dtype": {"float32": "F32", "int64": "I64"}[str(tensor.dtype)], "shape": tensor.shape,
                        "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    (folder / f"{component}.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + body)


write("text_encoder", {
    "in.input_ids": np.concatenate([stored("uncond_ids")] + [stored(f"{p}_ids") for p in PROMPTS]),
    "out.last_hidden_state": np.concatenate([stored("uncond_text")] + [stored(f"{p}_text") for p in PROMPTS]),
})

# One row without and one with the prompt, as guidance runs them.
write("unet", {
    "in.sample": np.concatenate([stored(f"{p}_noise") for p in PROMPTS for _ in range(2)]),
    "in.timestep": np.full(2 * len(PROMPTS), 951, np.float32),
    "in.encoder_hidden_states": np.concatenate([stored(name) for p in PROMPTS for name in ("uncond_text", f"{p}_text")]),
    "out.out_sample": np.concatenate(
        [stored(f"{p}_unet_{kind}_t951") for p in PROMPTS for kind in ("uncond", "cond")]),
})

# The encoder saw the picture that the decoder drew, after it was rounded to 8 bits.
picture = np.asarray(Image.open(golden / "p0_ddim.png"), np.float32).transpose(2, 0, 1)[None] / 255 * 2 - 1
write("vae", {
    "in.latent_sample": stored("p0_ddim_latents") / np.float32(LATENT_SCALE),
    "in.pixels": picture,
    "out.sample": stored("p0_ddim_image"),
    "out.moments": stored("vae_moments"),
})

# Final latents by prompt and sampler (20 steps, guidance 4), and the pictures.
SAMPLERS = ("ddim", "euler")
write("drawings", {f"out.{p}_{s}": stored(f"{p}_{s}_latents") for p in PROMPTS for s in SAMPLERS}
      | {f"in.{p}_ids": stored(f"{p}_ids") for p in PROMPTS})
for p in PROMPTS:
    for s in SAMPLERS:
        shutil.copyfile(golden / f"{p}_{s}.png", folder / f"{p}_{s}.png")

# One drawing that follows an outline: the first step for the prompt alone, and the final latents.
write("control", {"in.sample": stored("control_noise")} | {f"out.{name}": stored(f"control_{name}")
                                                           for name in ("down0", "mid", "unet_cond", "ddim_latents")})
for name in "control_hint", "control_ddim":
    shutil.copyfile(golden / f"{name}.png", folder / f"{name}.png")

# One drawing with the adapter: its text encoder for the empty prompt and the prompt, and the final latents.
write("lora", {"in.input_ids": np.concatenate([stored("uncond_ids"), stored("lora_ids")]),
               "out.last_hidden_state": np.concatenate([stored("lora_uncond_text"), stored("lora_text")]),
               "out.ddim_latents": stored("lora_ddim_latents")})
shutil.copyfile(golden / "lora_ddim.png", folder / "lora_ddim.png")
