"""Does merging a LoRA take longer than writing the tensors that it changes?

    python3 bench/merging.py [--bin build/release/bin] [--scratch FOLDER] [--rank 21] [--runs 5]

Makes the stand-in of the full SDXL checkpoint (6.9 GB) and a LoRA in kohya's layout on all attention, feed-forward and projection
weights of the UNet and both text encoders (rank 21: 150 MB), then times, in turn and with everything in the page cache:
`sinter convert --lora` against `cp` of the file of merged weights that it writes. Prints every pair, the medians and peak memory.

Last numbers: bench/README.md.
"""
import argparse
import json
import pathlib
import random
import shutil
import statistics
import struct

from conversion import run

MANIFEST = pathlib.Path(__file__).resolve().parents[1] / "tests/data/manifests/sdxl-base.json"
UNET, FIRST, SECOND = "model.diffusion_model.", "conditioner.embedders.0.transformer.", "conditioner.embedders.1.model.transformer.resblocks."
OF_SECOND = {"attn.out_proj.weight": "self_attn_out_proj", "mlp.c_fc.weight": "mlp_fc1", "mlp.c_proj.weight": "mlp_fc2"}


def modules(tensors):
    """The adapter's modules: name, rows and columns of the matrix that each changes."""
    for key, _, shape in tensors:
        if len(shape) != 2:
            continue
        rows, columns = shape
        if key.startswith(UNET) and ("transformer_blocks" in key or key.endswith(("proj_in.weight", "proj_out.weight"))):
            yield "lora_unet_" + key[len(UNET):-len(".weight")].replace(".", "_"), rows, columns
        elif key.startswith(FIRST) and ("self_attn" in key or "mlp" in key):
            yield "lora_te1_" + key[len(FIRST):-len(".weight")].replace(".", "_"), rows, columns
        elif key.startswith(SECOND):
            block, rest = key[len(SECOND):].split(".", 1)
            name = f"lora_te2_text_model_encoder_layers_{block}_"
            if rest == "attn.in_proj_weight":
                for part in "qkv":
                    yield f"{name}self_attn_{part}_proj", rows // 3, columns
            else:
                yield name + OF_SECOND[rest], rows, columns


def write_lora(path, rank):
    """A safetensors file of float16 factors; the same numbers over and over will do."""
    header, place = {}, 0
    for name, rows, columns in modules(json.loads(MANIFEST.read_text())["tensors"]):
        for tensor, shape in ((f"{name}.lora_up.weight", [rows, rank]), (f"{name}.lora_down.weight", [rank, columns])):
            size = 2 * shape[0] * shape[1]
            header[tensor] = {"dtype": "F16", "shape": shape, "data_offsets": [place, place + size]}
            place += size
    text = json.dumps(header).encode()
    draw = random.Random(0)
    numbers = b"".join(struct.pack("<e", draw.gauss(0, 0.02)) for _ in range(1 << 16))
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for done in range(0, place, len(numbers)):
            file.write(numbers[:place - done])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--scratch", type=pathlib.Path, default=pathlib.Path("build/scratch/bench"))
    parser.add_argument("--rank", type=int, default=21)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    scratch = arguments.scratch
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    checkpoint, lora, out, copy, merged = (scratch / name for name in ("xl.safetensors", "lora.safetensors", "out", "copy", "merged"))
    run(arguments.bin / "sinter-synth", MANIFEST, checkpoint)
    write_lora(lora, arguments.rank)
    convert = (arguments.bin / "sinter", "convert", checkpoint, out, "--lora", f"{lora}:0.8")
    run(*convert)
    (out / "delta.safetensors").rename(merged)
    print(f"a LoRA of {lora.stat().st_size / 1e6:.0f} MB changes {merged.stat().st_size / 1e9:.2f} GB")
    pairs = []
    for _ in range(arguments.runs):
        shutil.rmtree(out, ignore_errors=True)
        ours = run(*convert)
        shutil.rmtree(out)
        theirs = run("cp", "--reflink=never", merged, copy)
        copy.unlink()
        pairs.append((ours, theirs))
        print(f"merge {ours[0]:6.2f} s  cp {theirs[0]:6.2f} s  more {ours[0] - theirs[0]:5.2f} s  peak {ours[1]:4.0f} MiB")
    print(f"median: {statistics.median(a[0] - b[0] for a, b in pairs):.2f} s more than cp")
    shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
