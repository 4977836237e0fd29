import torch
from diffusers import ControlNetModel


class Control:
    def __init__(self, path):
        self.net = ControlNetModel.from_pretrained(path)
        self.device = torch.device("cuda")

    def to_device(self):
        self.net.to(self.device)
        return self

    @torch.no_grad()
    def hint(self, picture):
        x = torch.zeros(1, 4, 32, 32, device=self.device)
        states = torch.zeros(1, 77, 768, device=self.device)
        return self.net(x, 1, states, picture.to(self.device), return_dict=False)


control = Control("models/canny")
down, mid = control.hint(torch.zeros(1, 3, 256, 256))
print(len(down), mid.shape)
