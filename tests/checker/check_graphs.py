#!/usr/bin/env python3
"""onnx's own checker over every graph of every narrow family.

    check_graphs.py SINTER SINTER_SYNTH MANIFESTS        (ctest -L checker)

Needs the Python package onnx and skips (exit status 77) without it. SINTER_PYTHON names the interpreter that has it.

Each graph goes through onnx.checker with full_check, through strict shape inference with its declared shapes, and once
more without them: what onnx then infers must agree with what the graph declares. All folders are packed: the checker
refuses hard links, so a linked folder is checked by its packed twin, whose graph differs in places and casts of weights
only; both forms run in the tests of the engines.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

SKIP = 77

FAMILIES = ("sd1", "sd1-inpainting", "sd2", "sdxl-base", "sdxl-refiner", "taesd")
PRECISIONS = ("fp32", "fp16", "bf16")
PROFILES = ("ldm", "demodiffusion", "comfy", "a1111")  # optimum is the default

VARIANTS = [(precision,) for precision in PRECISIONS]
VARIANTS += [("fp32", "--controlnet-inputs", "--hidden-states")]
VARIANTS += [("fp16", "--static", "2x64x96", "--controlnet-inputs", "--hidden-states")]
VARIANTS += [("fp16", "--io", profile, "--hidden-states") for profile in PROFILES]


def with_onnx():
    """Starts again in SINTER_PYTHON where that is another interpreter; imports onnx or skips."""
    wanted = os.environ.pop("SINTER_PYTHON", "")
    if wanted:
        os.execvp(wanted, [wanted, "-B", *sys.argv])
    try:
        import onnx
        return onnx
    except ImportError:
        print(f"skipped: {sys.executable} has no package 'onnx'; SINTER_PYTHON can name another interpreter")
        sys.exit(SKIP)


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode} from: {' '.join(map(str, command))}\n{done.stdout}")


def dimensions(value):
    shape = value.type.tensor_type.shape
    return [dim.dim_value if dim.HasField("dim_value") else None for dim in shape.dim]


def disagreements(declared, inferred):
    """Values whose element type, rank or known extents onnx infers otherwise than the graph declares."""
    inferred = {value.name: value for value in inferred}
    for value in declared:
        other = inferred.get(value.name)
        if other is None or not other.type.tensor_type.HasField("shape"):
            continue
        if value.type.tensor_type.elem_type != other.type.tensor_type.elem_type:
            yield f"{value.name}: element type {value.type.tensor_type.elem_type}, inferred {other.type.tensor_type.elem_type}"
        ours, theirs = dimensions(value), dimensions(other)
        same_rank = len(ours) == len(theirs)
        if not same_rank or any(a != b for a, b in zip(ours, theirs) if a is not None and b is not None):
            yield f"{value.name}: {ours}, inferred {theirs}"


def problems(onnx, path):
    try:
        onnx.checker.check_model(str(path), full_check=True)
        model = onnx.load(str(path), load_external_data=False)
        onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
        declared = list(model.graph.value_info)
        made = {name for node in model.graph.node for name in node.output} - {value.name for value in model.graph.output}
        missing = made - {value.name for value in declared}
        if missing:
            yield f"values without a declared type: {sorted(missing)[:3]}"
        del model.graph.value_info[:]
        inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
        yield from disagreements(declared, inferred.graph.value_info)
    except Exception as error:  # whatever onnx raises is what this test is about
        yield f"{type(error).__name__}: {error}"


def main():
    onnx = with_onnx()
    sinter, synth, manifests = map(pathlib.Path, sys.argv[1:4])
    graphs = failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for family in FAMILIES:
            checkpoint = scratch / f"{family}.safetensors"
            run(synth, manifests / f"{family}.json", checkpoint)
            for precision, *options in VARIANTS:
                run(sinter, "convert", checkpoint, scratch / "out", "--weights", "pack", "--precision", precision,
                    "--vae-precision", precision, *options)
                for path in sorted(scratch.glob("out/*/model.onnx")):
                    graphs += 1
                    for problem in problems(onnx, path):
                        failures += 1
                        print(f"{family} {precision} {' '.join(options)} {path.parent.name}: {problem}")
    print(f"{graphs} graphs, {failures} problems (onnx {onnx.__version__})")
    sys.exit(1 if failures or graphs == 0 else 0)


main()
