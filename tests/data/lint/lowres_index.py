"""Class embedding and index_add on a small table."""
import torch

counts = torch.zeros(10, device="cuda")
labels = torch.randint(0, 10, (32,))
counts.index_add_(0, labels, torch.ones(32, device="cuda"))
top = counts.topk(3)
print(top.values, torch.take(counts, top.indices))
