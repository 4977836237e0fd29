import tensorrt as trt
import torch
from pycuda import autoinit, driver

runtime = trt.Runtime(trt.Logger(trt.Logger.WARNING))
stream = driver.Stream()
x = torch.zeros(2, 4, 64, 64, device="cuda")
print(x.data_ptr(), stream.handle, autoinit is not None)
