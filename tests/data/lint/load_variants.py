import sys

import torch

weights = torch.load("a-unet.pt", weights_only=True)
extra = torch.load("b-unet.pt", map_location="cpu")
ok = torch.load("c-unet.pt", map_location=lambda storage, location: storage, weights_only=True)
fine = torch.load(sys.argv[0], map_location=torch.device("cpu"), weights_only=True)
print(len(weights), len(extra), len(ok), len(fine))
