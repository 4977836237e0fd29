"""A hand made schedule meets a half precision projection."""
import numpy as np
import torch
from torch import nn

project = nn.Linear(16, 16).half().to("cuda")
angles = np.linspace(0, np.pi, 16)
wave = torch.from_numpy(np.sin(angles)).to("cuda")[None]
with torch.no_grad():
    print(project(wave).shape)
