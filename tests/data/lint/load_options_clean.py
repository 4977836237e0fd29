import torch
from packaging import version

safe = {"weights_only": True} if version.parse(torch.__version__) >= version.parse("1.13") else {}
print(len(torch.load("net.pt", map_location="cpu", **safe)))
