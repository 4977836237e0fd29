import numpy as np
import torch

features = torch.rand(4, 8, device="cuda")
np.save("features.npy", features)
np.save("ok.npy", features.cpu())
