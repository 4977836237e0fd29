import numpy as np
import onnxruntime as ort

session = ort.InferenceSession("vae.onnx", providers=["CPUExecutionProvider"])
image = session.run(None, {"latent": np.zeros((1, 4, 64, 64), dtype=np.float32)})[0]
print(image.shape)
