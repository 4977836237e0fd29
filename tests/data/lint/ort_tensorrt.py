import numpy as np
import onnxruntime

options = onnxruntime.SessionOptions()
providers = [("TensorrtExecutionProvider", {"trt_fp16_enable": True}), "CUDAExecutionProvider"]
session = onnxruntime.InferenceSession("unet.onnx", sess_options=options, providers=providers)
print(session.run(None, {"sample": np.zeros((2, 4, 64, 64), np.float32)})[0].mean())
