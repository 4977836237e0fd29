import torch


class Cache:
    def __init__(self):
        self.keys = None
        self.length = torch.zeros(1)

    def update(self, new):
        if self.keys is None:
            self.keys = torch.zeros_like(new)
            self.length = self.length.to(new.device)
        return torch.arange(4, device=new.device) + self.length
