"""Refuses to run when the provider is not there."""
import numpy as np
import onnxruntime as ort

wanted = ["CUDAExecutionProvider", "CPUExecutionProvider"]
session = ort.InferenceSession("unet.onnx", providers=wanted)
if session.get_providers()[0] != wanted[0]:
    raise SystemExit("CUDA is missing")
name = session.get_inputs()[0].name
print(session.run(None, {name: np.zeros((2, 4, 64, 64), np.float32)})[0].shape)
