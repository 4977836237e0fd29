"""A generator yields batches on the device; a context manager turns gradients off."""
import contextlib

import numpy as np
import torch
from transformers import CLIPTextModel, CLIPTokenizer


@contextlib.contextmanager
def quiet(model):
    model.eval()
    with torch.no_grad():
        yield model


def batches(tokenizer, prompts, device, size=2):
    for i in range(0, len(prompts), size):
        batch = tokenizer(prompts[i:i + size], padding="max_length", return_tensors="pt")
        yield {k: v.to(device) for k, v in batch.items()}


tokenizer = CLIPTokenizer.from_pretrained("models/base", subfolder="tokenizer")
encoder = CLIPTextModel.from_pretrained("models/base", subfolder="text_encoder").to("cuda")
rows = []
with quiet(encoder) as model:
    for batch in batches(tokenizer, ["a", "b", "c"], "cuda"):
        rows.append(model(**batch).last_hidden_state.mean(dim=1).cpu().numpy())
print(np.concatenate(rows).shape)
