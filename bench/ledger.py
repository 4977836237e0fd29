"""How far is the memory that `sinter plan` counts from what a builder says of the same graphs?

    python3 bench/ledger.py [--sinter build/dev/bin/sinter]              # the ledger against the figures kept
    python3 bench/ledger.py --measure MANIFEST GRAPH WIDTHxHEIGHT ROWS   # build one engine anew and compare

Figures kept: tests/data/plan/builder.json, "Total Activation Memory" of TensorRT-RTX 1.7.1 for sm89. Rows with
norms "joined" are networks as `sinter build` gives them to the builder, the others files as they are. Checkpoints are
outlines: the names and shapes of a manifest, a few marks so that no two tensors of a block are equal, and holes; they
take no space, and no figure depends on the numbers. bench/README.md has the last table.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURES = ROOT / "tests/data/plan/builder.json"
BYTES = {"float32": 2, "int64": 8}  # floating tensors are stored as float16
WINDOW = 77


def write_outline(manifest, path):
    header, end = {}, 0
    for name, dtype, shape in json.loads(manifest.read_text())["tensors"]:
        size = BYTES[dtype]
        for extent in shape:
            size *= extent
        header[name] = {"dtype": "F16" if dtype == "float32" else "I64", "shape": shape, "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    begin = 8 + len(text)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(begin + end)
        # Equal weights would make equal values, which a builder computes once: the halves and thirds of a
        # tensor, and those of one block, differ.
        for name, entry in header.items():
            first, last = entry["data_offsets"]
            for third in (0, 2, 3, 4):
                mark = zlib.crc32(f"{name.split('.')[-3:]}{third}".encode()) & 0x3FF
                at = first + (last - first) * third // 6 // 8 * 8
                file.seek(begin + at)
                file.write(bytes([mark & 255, 0x30 + (mark >> 8)])[: last - at])


def sinter(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


class Folders:
    """Converted outlines, each made once."""

    def __init__(self, program, place):
        self.program, self.place, self.made = program, pathlib.Path(place), {}

    def get(self, manifest, options):
        key = (manifest, options)
        if key not in self.made:
            folder = self.place / str(len(self.made))
            folder.mkdir()
            write_outline(ROOT / f"tests/data/manifests/{manifest}.json", folder / "outline.safetensors")
            sinter(self.program, "convert", folder / "outline.safetensors", folder / "out", *options.split())
            self.made[key] = folder / "out"
        return self.made[key]


def plan_words(row):
    """The words of `sinter plan` whose engine is the row's."""
    pictures = row["rows"]
    words = ["--narrow", "--size", f"{row.get('width', 512)}x{row.get('height', 512)}"]
    words += ["--windows", 1 if "text" in row["graph"] else row["tokens"] // WINDOW]
    if row["norms"] == "as written":
        words += ["--trtexec", "11"]
    if not row["graph"].startswith("vae") and pictures % 2 == 0:
        pictures //= 2
    else:
        words.append("--no-guidance")
    return [*words, "--batch", pictures]


def ledger(program, folder, row):
    report = json.loads(sinter(program, "plan", folder / row["graph"] / "model.onnx", *plan_words(row), "--json"))
    memory = report["plan"]["graphs"][row["graph"]]["memory"]
    return memory[1 if row["engine"] == "range" else 0]["activations"]


def line(row, builder, ours):
    size = f"{row['width']}x{row['height']}" if "width" in row else ""
    name = f"{row['manifest']} {row['graph']} {row['options']}".strip()
    return (f"| {name} | {row['engine']} | {row['norms']} | {size} | {row['rows']} | {builder / 1e6:.1f} | "
            f"{ours / 1e6:.1f} | {(ours / builder - 1) * 100:+.1f}% |")


def measure(program, folder, row, gpu):
    """Builds the row's engine and returns what the builder said."""
    plan_file = folder.parent / "plan.json"
    sinter(program, "plan", folder / row["graph"] / "model.onnx", *plan_words(row), "-o", plan_file)
    plan = json.loads(plan_file.read_text())
    for graph in plan["graphs"].values():
        for shapes in graph["inputs"].values():
            shapes["min"] = shapes["opt"] = shapes["max"]
    plan_file.write_text(json.dumps(plan))
    report = json.loads(sinter(program, "build", folder, "--component", row["graph"], "--gpu", gpu, "--plan", plan_file, "--json"))
    return report["engines"][0]["build"]["memory"]["activation_bytes"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sinter", default=ROOT / "build/dev/bin/sinter")
    parser.add_argument("--gpu", default="sm89")
    parser.add_argument("--options", default="", help="of convert")
    parser.add_argument("--measure", nargs=4, metavar=("MANIFEST", "GRAPH", "SIZE", "ROWS"))
    arguments = parser.parse_args()
    print("| graph | engine | norms | size | rows | builder, MB | ledger, MB | difference |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="sinter-ledger-") as place:
        folders = Folders(arguments.sinter, place)
        if arguments.measure:
            manifest, graph, size, rows = arguments.measure
            width, height = map(int, size.split("x"))
            row = {"manifest": manifest, "options": arguments.options, "graph": graph, "engine": "one size",
                   "rows": int(rows), "width": width, "height": height, "norms": "joined", "tokens": WINDOW}
            folder = folders.get(manifest, arguments.options)
            print(line(row, measure(arguments.sinter, folder, row, arguments.gpu), ledger(arguments.sinter, folder, row)))
            return
        for row in json.loads(FIGURES.read_text())["rows"]:
            folder = folders.get(row["manifest"], row["options"])
            print(line(row, row["bytes"], ledger(arguments.sinter, folder, row)), flush=True)


if __name__ == "__main__":
    main()
