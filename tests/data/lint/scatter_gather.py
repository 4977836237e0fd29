import torch


def top_tokens(scores, count):
    keep = torch.arange(count)[None].expand(scores.shape[0], -1)
    return scores.gather(1, keep)


def spread(values, places):
    table = torch.zeros(values.shape[0], 77, device=values.device)
    return table.scatter(1, places, values)


scores = torch.rand(2, 77, device="cuda")
best = top_tokens(scores, 4)
where = torch.topk(scores, 4, dim=1).indices
print(spread(best, where).sum())
