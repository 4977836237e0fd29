"""Golden data of the stand-in weights: python make_synth_golden.py REFERENCE_DIR OUT_DIR

REFERENCE_DIR holds weights.py, the specification. Writes OUT_DIR/synth_manifest.json and synth_golden.json.
Made with Python 3.11.7, numpy 2.4.6, safetensors 0.8.0, torch 2.15.0 (for bfloat16 only); running it again gives the same bytes.
"""
import hashlib
import json
import sys

sys.path.insert(0, sys.argv[1])
import numpy as np
import torch
import weights
from safetensors.torch import save

TENSORS = [
    ["betas", "float32", [1000]],
    ["alphas_cumprod", "float32", [1000]],
    ["alphas_cumprod_prev", "float32", [1000]],
    ["logit_scale", "float32", []],
    ["model.diffusion_model.input_blocks.0.0.weight", "float32", [32, 4, 3, 3]],
    ["model.diffusion_model.input_blocks.0.0.bias", "float32", [32]],
    ["model.diffusion_model.out.0.weight", "float32", [33]],
    ["model.diffusion_model.middle_block.1.proj_in.weight", "float32", [97, 101]],
    ["first_stage_model.quant_conv.weight", "float32", [8, 8, 1, 1]],
    ["cond_stage_model.model.logit_scale", "float32", []],
    ["cond_stage_model.transformer.text_model.embeddings.position_ids", "int64", [1, 77]],
    ["cond_stage_model.größe.weight", "float32", [3, 5]],
    ["cond_stage_model.counter", "int32", [3]],
]
DTYPES = {"fp16": torch.float16, "fp32": torch.float32, "bf16": torch.bfloat16}


def stored(key, dtype, value, floating):
    tensor = torch.from_numpy(np.array(value))
    if dtype.startswith("int"):
        return tensor.to(getattr(torch, dtype))
    return tensor.to(floating) if "." in key else tensor


def bits(values):
    return [f"{x:08x}" for x in values.to(torch.float32).reshape(-1).numpy().view(np.uint32)]


golden = {"files": {}, "tensors": []}
for name, floating in DTYPES.items():
    tensors = {k: stored(k, d, weights.tensor(k, d, s), floating) for k, d, s in TENSORS}
    data = save(tensors)
    golden["files"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    for k, d, s in TENSORS:
        flat = tensors[k].reshape(-1)
        picked = sorted({*range(min(4, len(flat))), *range(max(0, len(flat) - 4), len(flat))})
        golden["tensors"].append({"key": k, "dtype": name, "index": picked, "float32_bits": bits(flat[picked])})
subset = {k: stored(k, d, weights.tensor(k, d, s), torch.float16) for k, d, s in TENSORS if k.startswith("cond_stage_model.")}
golden["files"]["fp16 cond_stage_model."] = {"bytes": len(save(subset)), "sha256": hashlib.sha256(save(subset)).hexdigest()}
out = sys.argv[2]
with open(f"{out}/synth_manifest.json", "w") as file:
    json.dump({"name": "synth", "note": "every kind of tensor", "tensors": TENSORS}, file, indent=1, ensure_ascii=False)
    file.write("\n")
with open(f"{out}/synth_golden.json", "w") as file:
    json.dump(golden, file, indent=1, ensure_ascii=False)
    file.write("\n")
