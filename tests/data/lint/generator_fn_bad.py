"""The same without the move."""
import torch
from transformers import CLIPTextModel, CLIPTokenizer


def batches(tokenizer, prompts, size=2):
    for i in range(0, len(prompts), size):
        yield tokenizer(prompts[i:i + size], padding="max_length", return_tensors="pt")


tokenizer = CLIPTokenizer.from_pretrained("models/base", subfolder="tokenizer")
encoder = CLIPTextModel.from_pretrained("models/base", subfolder="text_encoder").to("cuda").eval()
with torch.no_grad():
    for batch in batches(tokenizer, ["a", "b", "c"]):
        print(encoder(**batch).last_hidden_state.mean().item())
