"""Names, shapes and metadata of the case files, with what each is: the data of identity_test.

    python make_arch_files.py SHARED OUT.json

SHARED holds cases/files (with expected.json) and reference/adapters. Needs torch for the pickled ones.
"""
import json
import os
import struct
import sys


def read_safetensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    metadata = header.pop("__metadata__", {})
    # Long training logs tell nothing here.
    metadata = {k: v for k, v in metadata.items() if len(v) < 200}
    return [[k, v["shape"]] for k, v in header.items()], metadata


def read_pickle(path):
    import torch
    values = torch.load(path, map_location="cpu", weights_only=True)
    values = values.get("state_dict", values)
    return [[k, list(v.shape)] for k, v in values.items()], {}


# What adapters are is the folder's word, not that of expected.json.
ADAPTERS = {"embedding": "embedding"}
# Pickled files that are a plain dictionary of tensors.
PICKLED = ["sd1-ema.ckpt", "controlnet-sd1.pth", "vae.pt", "embedding.bin", "sd1-expanded.ckpt"]


def main():
    shared, out = sys.argv[1:]
    files = {}
    folder = os.path.join(shared, "cases/files")
    for name, expected in json.load(open(os.path.join(folder, "expected.json")))["files"].items():
        if expected["verdict"] != "ok":
            continue
        path = os.path.join(folder, name)
        if name in PICKLED:
            tensors, metadata = read_pickle(path)
        elif expected["format"] == "safetensors":
            tensors, metadata = read_safetensors(path)
        else:
            continue
        files[name] = {"tensors": tensors, "metadata": metadata, "contents": expected["contents"],
                       "architecture": [expected["architecture"] or ""]
                       + [a or "" for a in expected.get("also_architecture", [])]}
    folder = os.path.join(shared, "reference/adapters")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".safetensors"):
            continue
        tensors, metadata = read_safetensors(os.path.join(folder, name))
        # The first names of each adapter are like all others.
        files["adapters/" + name] = {
            "tensors": tensors[:40], "metadata": metadata,
            "contents": ADAPTERS.get(name.split("-")[0], "lora")}
    with open(out, "w") as file:
        json.dump(files, file, separators=(",", ":"), ensure_ascii=False)
        file.write("\n")


if __name__ == "__main__":
    main()
