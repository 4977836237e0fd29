import torch
from layers import Block
from torch import nn


class Rotation(Block):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.angle = nn.Parameter(torch.zeros(size, size))

    def matrix(self):
        return torch.eye(self.size, device=self.device) + self.angle
