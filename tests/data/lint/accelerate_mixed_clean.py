import torch
from accelerate import Accelerator
from torch import nn

accelerator = Accelerator(mixed_precision="bf16")
head = accelerator.prepare(nn.Linear(16, 4))
x = torch.randn(2, 16, device=accelerator.device, dtype=torch.bfloat16)
head(x).float().mean().backward()
