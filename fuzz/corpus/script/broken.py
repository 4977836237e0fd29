def broken(:
  x = torch.zeros(1,
