import torch
from safetensors.torch import save_file
from torch import nn

net = nn.Linear(4, 4)
save_file(net.state_dict(), "modèle.safetensors")
torch.save(net.state_dict(), f"gewichte_für_{4}.pt")
