import torch
from diffusers import ControlNetModel, StableDiffusionControlNetPipeline, StableDiffusionImg2ImgPipeline, StableDiffusionPipeline
from torch import nn

nets = [ControlNetModel.from_pretrained("models/a"), ControlNetModel.from_pretrained("models/b")]
pipe = StableDiffusionControlNetPipeline.from_pretrained("models/base", controlnet=nets).to("cuda")
again = StableDiffusionImg2ImgPipeline(**pipe.components)
third = StableDiffusionPipeline.from_pipe(pipe)
x = torch.randn(1, 4, 64, 64, device=again.device)
y = torch.randn(1, 4, 64, 64, device=third.device)
with torch.no_grad():
    print(third.unet(x, 1, torch.zeros(1, 77, 768, device=pipe.device)).sample, third.vae.decode(y))
    print(nets[1](x, 1, torch.zeros(1, 77, 768, device="cuda"), torch.zeros(1, 3, 512, 512, device="cuda")))


class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.arange(4.0)

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.table = fn(self.table)
        return self

    def forward(self, x):
        return x * self.table


class Other(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.arange(4.0)

    def to(self, *args, **kw):
        out = super().to(*args, **kw)
        out.table = out.table.to(*args, **kw)
        return out

    def forward(self, x):
        return x * self.table


print(Table().cuda()(torch.ones(4, device="cuda")), Other().to("cuda")(torch.ones(4, device="cuda")))
