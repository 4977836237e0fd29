"""Tiny modules in the style of diffusers, each with one fault or none. Lines that tests ask for end in a comment "here: NAME"."""
import types

import torch
from torch import nn


def line_of(name):
    """The number of the line of this file that is marked "here: name"."""
    with open(__file__, encoding="utf-8") as source:
        return next(number for number, text in enumerate(source, 1) if text.rstrip().endswith(f"# here: {name}"))


class TextEncoder(nn.Module):
    """[N,L] token ids -> [N,L,8]."""

    def __init__(self):
        super().__init__()
        self.token_embedding = nn.Embedding(50, 8)
        self.position_embedding = nn.Embedding(16, 8)
        self.register_buffer("position_ids", torch.arange(16), persistent=False)
        self.norm = nn.LayerNorm(8)

    def forward(self, input_ids):
        positions = self.position_ids[:input_ids.shape[1]]
        return self.norm(self.token_embedding(input_ids) + self.position_embedding(positions))


class CrossAttention(nn.Module):
    """Two heads over the context."""

    def __init__(self, width=8):
        super().__init__()
        self.to_q, self.to_k, self.to_v = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.to_out = nn.Linear(width, width)

    def forward(self, x, context):
        q, k, v = (t.unflatten(-1, (2, -1)).transpose(1, 2) for t in (self.to_q(x), self.to_k(context), self.to_v(context)))
        return self.to_out(nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


class TimeEmbedding(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def frequencies(self, timestep):
        return torch.arange(4, device=timestep.device)

    def forward(self, timestep):
        angle = timestep.reshape(-1, 1).float() * torch.exp(-self.frequencies(timestep))
        return self.linear(torch.cat([angle.sin(), angle.cos()], dim=-1).to(self.linear.weight.dtype))


class ForwardMadeTime(TimeEmbedding):
    """Makes its frequencies on the CPU in every forward."""

    def frequencies(self, timestep):
        return torch.arange(4)  # here: frequencies


class Block(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.norm = nn.GroupNorm(2, channels)
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.attention = CrossAttention(channels)

    def forward(self, x, embedding, context):
        x = x + self.conv(nn.functional.silu(self.norm(x))) + embedding[:, :, None, None]
        rows = x.flatten(2).transpose(1, 2)
        return x + self.attention(rows, context).transpose(1, 2).reshape(x.shape)


class PlainTableBlock(Block):
    """Keeps a tensor that is no buffer."""

    def __init__(self):
        super().__init__()
        self.table = torch.linspace(0, 1, 8).reshape(1, 8, 1, 1)  # here: table

    def forward(self, x, embedding, context):
        return super().forward(x, embedding, context) * self.table


class ListBlock(Block):
    """Keeps a module in a plain list, and tensors in a dict and an object."""

    def __init__(self):
        super().__init__()
        self.adapters = [nn.Linear(8, 8)]
        self.tables = {"scale": [torch.ones(8)]}
        self.state = types.SimpleNamespace(shift=torch.zeros(8))

    def forward(self, x, embedding, context):
        embedding = self.adapters[0](embedding) * self.tables["scale"][0] + self.state.shift
        return super().forward(x, embedding, context)


class UNet(nn.Module):
    """sample [N,4,h,w], timestep [] or [N], encoder_hidden_states [N,L,8] -> [N,4,h,w]."""

    def __init__(self, block=Block, time=TimeEmbedding):
        super().__init__()
        self.conv_in = nn.Conv2d(4, 8, 3, padding=1)
        self.time_embedding = time()
        self.blocks = nn.ModuleList([block(), block()])
        self.dropout = nn.Dropout(0.1)
        self.conv_out = nn.Conv2d(8, 4, 3, padding=1)

    def forward(self, sample, timestep, encoder_hidden_states):
        embedding = self.time_embedding(timestep)
        x = self.conv_in(sample)
        for block in self.blocks:
            x = block(x, embedding, encoder_hidden_states)
        return self.conv_out(self.dropout(x))


class Scheduler:
    """Keeps tensors on the CPU, as those of diffusers do, and looks at the values of time steps."""

    def __init__(self):
        self.alphas_cumprod = torch.linspace(0.99, 0.01, 1000)
        self.timesteps = torch.arange(999, -1, -1)

    def set_timesteps(self, count, device=None):
        self.timesteps = torch.linspace(999, 0, count).round().long().to(device)

    def step(self, noise, timestep, sample):
        index = (self.timesteps == timestep).nonzero().item()
        alpha = self.alphas_cumprod[timestep]
        return sample * alpha.sqrt() - noise * (1 - alpha).sqrt() / (index + 1)


class Pipeline:
    """Not a module, as those of diffusers are not."""

    def __init__(self, **parts):
        self.text_encoder, self.unet, self.scheduler = TextEncoder(), UNet(**parts), Scheduler()
        self.text_encoder.eval()
        self.unet.eval()

    def to(self, *args):
        self.text_encoder.to(*args)
        self.unet.to(*args)
        return self

    def __call__(self, input_ids, steps=2, generator=None):
        device = self.unet.conv_in.weight.device
        context = self.text_encoder(input_ids)
        latent = torch.randn(1, 4, 8, 8, generator=generator, device=device, dtype=context.dtype)
        self.scheduler.set_timesteps(steps, device)
        with torch.no_grad():
            for timestep in self.scheduler.timesteps:
                latent = self.scheduler.step(self.unet(latent, timestep, context), timestep, latent)
        return latent


def unet_inputs(batch=1, size=8):
    return torch.randn(batch, 4, size, size), torch.tensor(7), torch.randn(batch, 6, 8)
