"""Is converting a checkpoint as quick as reading or copying it?

    python3 bench/conversion.py MANIFEST.json [--bin build/release/bin] [--scratch FOLDER] [--runs 5]

Makes the stand-in checkpoint of the manifest (tests/data/manifests/sd15.json: 2.1 GB), then times, in turn and with everything
in the page cache: `sinter convert` linked against `cat FILE > /dev/null`, `sinter convert --weights pack` against `cp` of as many
bytes, `sinter repack` to a diffusers folder, back to one file and to float32 against `cp` of the checkpoint, and `sinter inspect`. Prints medians, ratios and peak memory.

Last numbers: bench/README.md.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import time


def run(*command):
    """Seconds and peak resident MiB of one command."""
    start = time.monotonic()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"failed: {' '.join(map(str, command))}")
    return time.monotonic() - start, usage.ru_maxrss / 1024


def pair(name, ours, theirs, runs, between):
    """Times two commands in turn and prints the ratio of their medians."""
    pairs = []
    for _ in range(runs + 1):
        between()
        one = run(*ours)
        between()
        pairs.append((one, run(*theirs)))
    pairs = pairs[1:]  # the first fills the page cache
    mine, other = (statistics.median(p[i][0] for p in pairs) for i in (0, 1))
    ratio = statistics.median(p[0][0] / p[1][0] for p in pairs)
    print(f"{name:34} {mine:6.2f} s  {other:6.2f} s  ratio {ratio:4.2f}  peak {max(p[0][1] for p in pairs):4.0f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manifest", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--scratch", type=pathlib.Path, default=pathlib.Path("build/scratch/bench"))
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    scratch, sinter = arguments.scratch, arguments.bin / "sinter"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    checkpoint, out, copy, packed = (scratch / name for name in ("model.safetensors", "out", "copy", "packed.bin"))
    folder, file = scratch / "folder", scratch / "file.safetensors"
    synth = arguments.bin / "sinter-synth"
    seconds, _ = run(synth, arguments.manifest, checkpoint)
    size = checkpoint.stat().st_size
    print(f"{arguments.manifest.stem}: {size / 1e9:.2f} GB, made at {size / 1e6 / seconds:.0f} MB/s")

    def clear():
        shutil.rmtree(out, ignore_errors=True)
        copy.unlink(missing_ok=True)
        file.unlink(missing_ok=True)

    print(f"{'':34} {'sinter':>8}  {'other':>8}")
    pair("convert, linked / cat", (sinter, "convert", checkpoint, out), ("cat", checkpoint), arguments.runs, clear)
    clear()
    run(sinter, "convert", checkpoint, out, "--weights", "pack")
    with open(packed, "wb") as target:
        for data in sorted(out.glob("*/model.onnx.data")):
            with open(data, "rb") as source:
                shutil.copyfileobj(source, target, 1 << 24)
    pair("convert, packed / cp", (sinter, "convert", checkpoint, out, "--weights", "pack"), ("cp", packed, copy), arguments.runs, clear)
    clear()
    packed.unlink()
    pair("repack to diffusers / cp", (sinter, "repack", checkpoint, out), ("cp", checkpoint, copy), arguments.runs, clear)
    clear()
    run(sinter, "repack", checkpoint, folder)
    pair("repack to original / cp", (sinter, "repack", folder, file), ("cp", checkpoint, copy), arguments.runs, clear)
    clear()
    shutil.rmtree(folder)
    pair("repack to float32 / cp", (sinter, "repack", checkpoint, file, "--dtype", "fp32"), ("cp", checkpoint, copy), arguments.runs, clear)
    times = [run(sinter, "inspect", checkpoint)[0] for _ in range(arguments.runs)]
    print(f"{'inspect':34} {statistics.median(times) * 1000:6.0f} ms")
    shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
