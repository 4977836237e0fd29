"""Seeds for the fuzz targets of ONNX files, folders, tokenizers, zip archives and embeddings: python make_fuzz_corpora.py OUT_DIR (fuzz/corpus)

Corners that the files of other tests do not have. Needs onnx==1.23.2; byte-identical when run again.
"""
import io
import json
import pathlib
import struct
import sys
import zipfile

from onnx import TensorProto, helper

X = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 4])
Y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 4])


def external(name="w", dims=(4,), dtype=TensorProto.FLOAT, **entries):
    tensor = TensorProto(name=name, data_type=dtype, dims=dims, data_location=TensorProto.EXTERNAL)
    for key, value in ({"location": "weights.bin", "offset": "0", "length": "16"} | entries).items():
        if value is not None:
            tensor.external_data.add(key=key, value=value)
    return tensor


def model(*tensors, nodes=None, inputs=(X,), outputs=(Y,), metadata=None, change=None):
    nodes = [helper.make_node("Mul", ["x", "w"], ["y"], name="scale/Mul")] if nodes is None else nodes
    graph = helper.make_graph(nodes, "g", list(inputs), list(outputs), list(tensors))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    for key, value in (metadata or {}).items():
        made.metadata_props.add(key=key, value=value)
    if change:
        change(made)
    return made.SerializeToString(deterministic=True)


def subgraph(made):
    inner = helper.make_graph([], "inner", [], [Y], [external("inner", offset="16")])
    made.graph.node.append(helper.make_node("If", ["x"], ["z"], then_branch=inner, else_branch=inner))


def sparse(made):
    values = external("values", dims=[4])
    indices = external("indices", dims=[2], dtype=TensorProto.INT64)
    made.graph.sparse_initializer.add(values=values, indices=indices, dims=[8])


def function(made):
    node = helper.make_node("Constant", [], ["c"], value=external("constant"))
    made.functions.append(helper.make_function("own", "F", [], ["c"], [node], [helper.make_opsetid("", 17)]))


def training(made):
    made.training_info.add().initialization.initializer.append(external("t"))


def value_info(made):
    made.graph.value_info.append(helper.make_tensor_value_info("v", TensorProto.BFLOAT16, ["a*b/2", None, 3]))
    made.graph.node.append(helper.make_node("Cast", ["x"], ["v"], to=TensorProto.BFLOAT16))


RECORD = {"location": "weights.bin", "source": "/models/a.safetensors", "bytes": 93, "modified_ns": 0, "header_bytes": 8,
          "header_sha256": "0" * 64}
UNRANKED = helper.make_tensor_value_info("u", TensorProto.FLOAT, None)
SEQUENCE = helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, None)

ONNX = {
    "plain": model(helper.make_tensor("w", TensorProto.FLOAT, [4], [1, 2, 3, 4])),
    "external": model(external()),
    "no-location": model(external(location=None)),
    "address": model(external(location="*/_ORT_MEM_ADDR_/*")),
    "above": model(external(location="../cases/tiny-sd1-text.safetensors")),
    "absolute": model(external(location="/etc/hostname")),
    "folder": model(external(location=".")),
    "zero-byte": model(external(location="weights.bin\0")),
    "long-name": model(external(location="w" * 300)),
    "no-length": model(external(length=None)),
    "offset-wraps": model(external(offset="18446744073709551600")),
    "no-number": model(external(offset="1e3")),
    "bytes-wrap": model(external(dims=[2**61 + 2], dtype=TensorProto.DOUBLE)),
    "negative": model(external(dims=[-4])),
    "packed-type": model(external(dtype=TensorProto.INT4)),
    "string-type": model(external(dtype=TensorProto.STRING)),
    "twice": model(external(), external()),
    "subgraph": model(external(), change=subgraph),
    "sparse": model(external(), change=sparse),
    "function": model(external(), change=function),
    "training": model(external(), change=training),
    "values": model(external(), change=value_info),
    "unranked": model(external(), inputs=[X, UNRANKED]),
    "sequence": model(external(), inputs=[X, SEQUENCE]),
    "no-nodes": model(nodes=[]),
    "record": model(external(), metadata={"sinter.link.0": json.dumps(RECORD)}),
    "record-of-list": model(external(), metadata={"sinter.link.0": "[]"}),
    "record-of-text": model(external(), metadata={"sinter.link.0": json.dumps(RECORD | {"bytes": "93"})}),
    "record-real": model(external(), metadata={"sinter.link.0": json.dumps(RECORD | {"modified_ns": -1e19})}),
    "record-negative": model(external(), metadata={"sinter.link.0": json.dumps(RECORD | {"modified_ns": -(2**63)})}),
}


def files(**named):
    return "".join(f"--- {name.replace('__', '/').replace('_json', '.json')}\n{text}\n" for name, text in named.items()).encode()


def shard(name):
    header = json.dumps({name: {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}}).encode()
    return (struct.pack("<Q", len(header)) + header).decode()


def sharded(weight_map):
    text = "--- model_index.json\n" + json.dumps({"unet": ["diffusers", "UNet2DConditionModel"]}) + "\n"
    text += "--- unet/diffusion_pytorch_model.safetensors.index.json\n" + json.dumps({"weight_map": weight_map}) + "\n"
    for number, name in (1, "a"), (2, "b"):
        text += f"--- unet/diffusion_pytorch_model-0000{number}-of-00002.safetensors\n" + shard(name) + "\n"
    return text.encode()


SHARDS = [f"diffusion_pytorch_model-0000{i}-of-00002.safetensors" for i in (1, 2)]
FOLDERS = {
    "converted": files(sinter_json='{"sinter":"0.1.0","graphs":[],"family":"sd15","sources":[{"path":"/a/b.safetensors"}]}'),
    "sources-of-text": files(sinter_json='{"sinter":1,"graphs":{},"sources":["a"],"io":"comfy"}'),
    "static": files(sinter_json='{"sinter":1,"graphs":{"unet":{"compute":"float16"}},"static":[1,4294967360,1e300]}'),
    "sample-size": files(unet__config_json='{"sample_size":4294967296}'),
    "sample-size-real": files(unet__config_json='{"sample_size":1e300}'),
    "sample-size-negative": files(unet__config_json='{"sample_size":-2147483648}'),
    "channels": files(vae_decoder__config_json='{"scaling_factor":-1e999,"latent_channels":1e30,"block_out_channels":[1,2,3]}'),
    "layers": files(text_encoder__config_json='{"num_hidden_layers":99999999999,"hidden_act":"gelu"}'),
    "activation": files(text_encoder__config_json='{"hidden_act":"relu","num_attention_heads":-1}'),
    "heads": files(unet__config_json='{"attention_head_dim":[5,10,20,20]}'),
    "heads-of-text": files(unet__config_json='{"num_attention_heads":["5"],"attention_head_dim":0}'),
    "scheduler": files(scheduler__scheduler_config_json='{"_class_name":"EulerDiscreteScheduler","trained_betas":[0.1],"num_train_timesteps":1e9}'),
    "scheduler-betas": files(scheduler__scheduler_config_json='{"beta_schedule":"cubic","prediction_type":["v"]}'),
    "scheduler-large": files(scheduler__scheduler_config_json='{"num_train_timesteps":99999999999,"steps_offset":-1}'),
    "not-json": files(unet__config_json="{", model_index_json="\xff"),
    "lists": files(model_index_json="[]", sinter_json="[]", config_json="[]"),
    "leads-out": files(model_index_json='{"..":["a","b"],"a/b":["a","b"],"":["a","b"],"unet":[null,null]}'),
    "surrogate": files(model_index_json='{"unet":["diffusers","\\ud800"]}'),
    "sharded": sharded({"a": SHARDS[0], "b": SHARDS[1]}),
    "sharded-wrongly": sharded({"a": SHARDS[1]}),
    "sharded-elsewhere": sharded({"a": "/etc/hostname"}),
    "sharded-by-number": sharded({"a": 1}),
}

TOKENS = {"<|startoftext|>": 0, "<|endoftext|>": 1}
TOKENIZERS = {
    "plain": files(vocab_json=json.dumps(TOKENS | {"a": 2, "a</w>": 3, "aa</w>": 4})),
    "ids-apart": files(vocab_json=json.dumps(TOKENS | {"a": 1048575})),
    "id-large": files(vocab_json=json.dumps(TOKENS | {"a": 1048576})),
    "id-negative": files(vocab_json=json.dumps(TOKENS | {"a": -1})),
    "id-real": files(vocab_json=json.dumps(TOKENS | {"a": 1.5})),
    "id-twice": files(vocab_json='{"<|startoftext|>":0,"<|endoftext|>":1,"a":1}'),
    "list": files(vocab_json="[]"),
    "no-end": files(vocab_json='{"a":0}'),
    "empty-token": files(vocab_json=json.dumps(TOKENS | {"": 2, "a": 3})),
    "padding": files(tokenizer_config_json='{"pad_token":{"content":"a"}}'),
    "padding-unknown": files(tokenizer_config_json='{"pad_token":"nothing"}'),
    "padding-number": files(tokenizer_config_json='{"pad_token":{"content":1}}', special_tokens_map_json="7"),
}
ADDED = {"id": 2, "content": "a b", "special": False, "normalized": True, "lstrip": False, "rstrip": False, "single_word": False}
WHOLE = {"added_tokens": [ADDED], "model": {"type": "BPE", "end_of_word_suffix": "</w>", "unk_token": "<|endoftext|>",
         "vocab": TOKENS | {"a b": 2, "a": 3, "a</w>": 4, "aa</w>": 5}, "merges": ["a a</w>"]}}


def whole(**model):
    text = json.dumps(WHOLE | {"model": WHOLE["model"] | model})
    return f"--- vocab.json\n(absent)\n--- tokenizer.json\n{text}\n".encode()


TOKENIZERS |= {
    "whole": whole(),
    "whole-pairs": whole(merges=[["a", "a</w>"]]),
    "whole-triple": whole(merges=[["a", "a", "a"], 7]),
    "whole-ids": whole(vocab={"a": "0", "b": 4294967296}),
    "whole-bytes": whole(type="WordPiece"),
    "whole-list": b"--- vocab.json\n(absent)\n--- tokenizer.json\n[]\n",
    "added": files(added_tokens_json='{"<x>":2,"":3,"<y>":-1,"<z>":1048576}'),
    "added-decoder": files(tokenizer_config_json=json.dumps({"added_tokens_decoder": {"2": ADDED, "-1": ADDED, "x": 7}})),
    "merges-unknown": b"--- merges.txt\n#version: 0.2\na b\n",
    "merges-spaces": b"--- merges.txt\n#version: 0.2\na  b\n",
    "merges-lines": b"--- merges.txt\r\n#version: 0.2\r\na a</w>\r\n\r\na a</w>",
    "text": "--- text.txt\n\u00c5\u030a\ud7a3 \u0958 don't \U0001f600 <|startoftext|><|endoftext|>\n".encode(),
    "text-not-utf8": b"--- text.txt\n\xc3\xff\xf4\x90\x80\x80 \xed\xa0\x80 a\n",
}


def entry(name, data=b"x", flags=0, size=None, extra=b""):
    size = len(data) if size is None else size
    return struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, flags, 0, 0, 0, 0, size, size, len(name), len(extra)) + name + extra + data


def archive():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name in "archive/data.pkl", "archive/version", "archive/data/0":
            file.writestr(zipfile.ZipInfo(name), b"3\n")
    return buffer.getvalue()


ZIPS = {
    "torch": archive(),
    "two": entry(b"a") + entry(b"b/c"),
    "size-follows": entry(b"a", flags=8) + entry(b"b"),
    "zip64": entry(b"a", size=0xFFFFFFFF),
    "name-beyond": entry(b"a" * 10)[:35],
    "data-beyond": entry(b"a", size=1000),
    "no-name": entry(b"") * 20,
    "extra": entry(b"a", extra=b"\0" * 9) + entry(b"b"),
}


def embedding(**tensors):
    """A safetensors file: names (with "__" for what Python's names cannot hold) to type, shape and bytes."""
    header, data = {}, b""
    for name, (dtype, shape, content) in tensors.items():
        header[{"token__": "<a>", "dictionary__": "string_to_param.*"}.get(name, name)] = {
            "dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header, separators=(",", ":")).encode()
    return struct.pack("<Q", len(text)) + text + data


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


EMBEDDINGS = {
    "params": embedding(emb_params=("F32", [1, 2], floats(1, 2))),
    "token": embedding(token__=("F32", [2], floats(1, 0.1))),
    "pair": embedding(clip_l=("F16", [1, 2], b"\0<\0<"), clip_g=("F16", [1, 2], b"\0<\0<")),
    "dictionary": embedding(dictionary__=("F32", [2, 2], floats(1, 2, 3, 4)), string_to_token=("I64", [1], bytes(8))),
    "wide": embedding(emb_params=("F32", [1, 3], floats(1, 2, 3))),
    "nan": embedding(emb_params=("F32", [1, 2], floats(1, float("nan")))),
    "rank": embedding(emb_params=("F32", [1, 1, 1, 2], floats(1, 2))),
    "empty": embedding(emb_params=("F32", [0, 2], b"")),
    "scalar": embedding(emb_params=("F32", [], floats(1))),
}

out = pathlib.Path(sys.argv[1])
for folder, seeds in ("onnx_model", ONNX), ("folder", FOLDERS), ("tokenizer", TOKENIZERS), ("zip_listing", ZIPS), ("embedding", EMBEDDINGS):
    (out / folder).mkdir(parents=True, exist_ok=True)
    for name, content in seeds.items():
        (out / folder / name).write_bytes(content)
