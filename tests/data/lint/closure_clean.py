import torch


def make_maker(device):
    def make(*shape, **kw):
        kw.setdefault("device", device)
        return torch.rand(*shape, **kw)
    return make


on_gpu, on_cpu = make_maker("cuda"), make_maker("cpu")
a = on_gpu(4, 4)
b = on_cpu(4, 4)
c = on_cpu(4, 4, device="cuda")
print((a @ c).sum(), (a - b.to(a.device)).sum())
