"""A script with a default device of its own."""
import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))


def main():
    torch.set_default_device("cuda")
    net = build()
    with torch.no_grad():
        print(net(torch.randn(3, 4)).mean())


if __name__ == "__main__":
    main()
