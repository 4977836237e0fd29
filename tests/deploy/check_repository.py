#!/usr/bin/env python3
"""An exported Triton repository, read with Triton's own schema, and its pipeline run without Triton.

    check_repository.py SINTER CHECKPOINT        (ctest -L deploy)

Needs the Python package tritonclient[grpc] and skips (exit status 77) without it; where onnxruntime is there too, the
pipeline's model.py draws a picture with sessions in the place of Triton. SINTER_PYTHON names the interpreter.
"""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

SKIP = 77


def with_packages():
    wanted = os.environ.pop("SINTER_PYTHON", "")
    if wanted:
        os.execvp(wanted, [wanted, "-B", *sys.argv])
    try:
        import tritonclient.grpc.model_config_pb2 as schema
        from google.protobuf import text_format
        return schema, text_format
    except ImportError:
        print(f"skipped: {sys.executable} has no package 'tritonclient[grpc]'; SINTER_PYTHON can name another interpreter")
        sys.exit(SKIP)


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode} from: {' '.join(map(str, command))}\n{done.stdout}")


def configurations(repository, schema, text_format):
    found = {}
    for file in sorted(repository.glob("*/config.pbtxt")):
        config = text_format.Parse(file.read_text(), schema.ModelConfig())
        assert config.name == file.parent.name, file
        assert (file.parent / "1").is_dir(), file
        assert config.input and config.output, file
        for tensor in [*config.input, *config.output]:
            assert tensor.data_type != schema.TYPE_INVALID, (file, tensor.name)
        assert (config.max_batch_size > 1) == config.HasField("dynamic_batching"), file
        found[config.name] = config
    return found


def draw(repository):
    """A red circle on blue, through model.py with ONNX Runtime in Triton's place."""
    try:
        import numpy as np
        import onnxruntime
    except ImportError:
        print("drew nothing: no package 'onnxruntime'")
        return
    folder = repository / "stable_diffusion/1"
    spec = importlib.util.spec_from_file_location("model", folder / "model.py")
    model = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(model)
    sessions = {}

    def call(name, inputs, outputs):
        if name not in sessions:
            sessions[name] = onnxruntime.InferenceSession(repository / name / "1/model.onnx/model.onnx")
        types = {"tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(int64)": np.int64,
                 "tensor(int32)": np.int32}
        given = {}
        for declared in sessions[name].get_inputs():
            value = inputs[declared.name].astype(types[declared.type])
            # Triton gives the model a row of one number as one number.
            given[declared.name] = value[:, 0] if len(declared.shape) == 1 else value
        return dict(zip(outputs, sessions[name].run(outputs, given)))

    picture = model.Pipeline(folder, call).draw(
        "a red circle on a blue background", steps=15, guidance=5.0, seed=1, height=128, width=128)
    assert picture.shape == (128, 128, 3) and picture.dtype == np.uint8
    middle, corner = picture[56:72, 56:72].mean((0, 1)), picture[:8, :8].mean((0, 1))
    print("middle", middle, "corner", corner)
    assert middle[0] > middle[2] and corner[2] > corner[0], (middle, corner)


def main():
    schema, text_format = with_packages()
    sinter, checkpoint = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        run(sinter, "convert", checkpoint, scratch / "model", "--precision", "fp32")
        run(sinter, "export", "triton", scratch / "model", scratch / "repository", "--max-batch", "8")
        found = configurations(scratch / "repository", schema, text_format)
        assert set(found) == {"stable_diffusion", "text_encoder", "unet", "vae_decoder", "vae_encoder"}, found
        assert found["unet"].max_batch_size == 8
        timestep = next(tensor for tensor in found["unet"].input if tensor.name == "timestep")
        assert timestep.dims == [1] and timestep.HasField("reshape") and not timestep.reshape.shape
        draw(scratch / "repository")


main()
