#!/usr/bin/env python3
"""Writes what diffusers and transformers put into a folder, small: tests/data/manifests/diffusers/tiny-*.json (names and
shapes of a narrow pipeline) and tests/data/pipeline/tokenizer_json (a tokenizer that is one tokenizer.json, and the ids that
transformers gives).

    python tests/golden/make_folder_files.py

Made with torch 2.15.0, diffusers 0.42.1, transformers 5.24.0, tokenizers 0.23.3.
"""

import json
import pathlib

from diffusers import UNet2DConditionModel
from tokenizers import AddedToken
from tokenizers.pre_tokenizers import ByteLevel
from transformers import CLIPTextConfig, CLIPTextModel, CLIPTokenizer

DATA = pathlib.Path(__file__).parent.parent / "data"


def manifest(name, module):
    """One row a tensor: key, element type, shape."""
    rows = [[key, "float32", list(value.shape)] for key, value in sorted(module.state_dict().items())]
    text = json.dumps({"name": name, "parameters": sum(p.numel() for p in module.parameters()), "tensors": rows})
    (DATA / "manifests/diffusers" / f"{name}.json").write_text(text.replace("], [", "],\n[") + "\n")


manifest("tiny-unet", UNet2DConditionModel(
    sample_size=8, in_channels=4, out_channels=4, block_out_channels=(32, 64), layers_per_block=1,
    down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
    cross_attention_dim=32, attention_head_dim=8))
manifest("tiny-text-encoder", CLIPTextModel(CLIPTextConfig(
    vocab_size=600, hidden_size=32, intermediate_size=64, num_attention_heads=4, num_hidden_layers=2, projection_dim=32)))

MERGES = ["c a", "ca t</w>", "o r", "w or", "wor d</w>", "t h", "th e</w>", "i n", "in g</w>", "s k"]
PROMPTS = [
    "the cat",
    "a <My-Cat> and <my-cat>, sks asks! SKS",
    "<raw> but not <RAW>, word Word wording pass-word (word)",
    "  x<end>y <pad> <PAD>",
    "<|startoftext|>the <|endoftext|> <|ENDOFTEXT|>",
    "größe cat's 12",
]


def tokenizer(folder, pad, added):
    """Bytes, the same at a word's end, merges, start, end; then what was added."""
    letters = sorted(ByteLevel.alphabet())
    tokens = letters + [letter + "</w>" for letter in letters] + [merge.replace(" ", "") for merge in MERGES]
    tokens += ["<|startoftext|>", "<|endoftext|>"]
    made = CLIPTokenizer(vocab={token: i for i, token in enumerate(tokens)},
                         merges=[tuple(merge.split()) for merge in MERGES], pad_token=pad, model_max_length=77)
    made.add_tokens(added)
    path = DATA / "pipeline/tokenizer_json" / folder
    path.mkdir(parents=True, exist_ok=True)
    made.save_pretrained(path)
    prompts = [prompt for prompt in PROMPTS if pad != "!" or "!" not in prompt]  # see tokenizer.h about "!"
    (path / "ids.json").write_text(json.dumps({
        "pad": made.pad_token_id, "size": len(made),
        "ids": {prompt: made(prompt, add_special_tokens=False).input_ids for prompt in prompts}}, indent=1) + "\n")


tokenizer("added", "<|endoftext|>", [
    "<My-Cat>", "sks", AddedToken("<raw>", normalized=False), AddedToken("word", single_word=True),
    AddedToken("<end>", lstrip=True, rstrip=True, normalized=False, special=True)])
tokenizer("bang", "!", [])
tokenizer("pad", "<pad>", [])
