"""Seeds for the safetensors fuzz target: python make_safetensors_corpus.py OUT_DIR (fuzz/corpus/safetensors)

Corners that the files in tests/data/weights/files do not have. Standard library only.
"""
import os
import struct
import sys


def file(header, data=0, length=None):
    text = header if isinstance(header, bytes) else header.encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + bytes(data)


def tensor(dtype="U8", shape="[1]", offsets="[0,1]", more=""):
    return '{"dtype":"%s","shape":%s,"data_offsets":%s%s}' % (dtype, shape, offsets, more)


SEEDS = {
    "empty-header": file("{}"),
    "metadata-null": file('{"__metadata__":null}'),
    "metadata-twice": file('{"__metadata__":{"a":"1"},"__metadata__":{}}'),
    "metadata-key-twice": file('{"__metadata__":{"a":"1","a":"2"}}'),
    "escaped-twice": file('{"a":%s,"\\u0061":%s}' % (tensor(), tensor(offsets="[1,2]")), 2),
    "surrogates": file('{"\\ud83d\\ude00":%s}' % tensor(), 1),
    "lone-surrogate": file('{"\\ud800":%s}' % tensor(), 1),
    "foreign-field": file('{"a":%s}' % tensor(more=',"x":{"y":[1,-2.5e3,null,{"z":[[]]}]}'), 1),
    "foreign-type": file('{"a":%s}' % tensor("F6_E3M2", "[4]", "[0,3]"), 3),
    "zero-byte": file(b'{"a":' + tensor().encode() + b"}\0\0", 1),
    "leading-space": file(" {}"),
    "trailing-lines": file("{}\r\n\t "),
    "byte-order-mark": file(b"\xef\xbb\xbf{}"),
    "no-elements": file('{"b":%s,"a":%s}' % (tensor(shape="[0,7]", offsets="[0,0]"), tensor("F64", "[1]", "[0,8]")), 8),
    "many-dimensions": file('{"a":%s}' % tensor(shape="[%s]" % ",".join(["1"] * 200)), 1),
    "offsets-wrap": file('{"a":%s}' % tensor(shape="[0]", offsets="[18446744073709551615,18446744073709551615]")),
    "exponent": file('{"a":%s}' % tensor(shape="[1e0]"), 1),
    "deep": file('{"a":{"x":' + "[" * 2000),
    "float8": file('{"a":%s,"b":%s}' % (tensor("F8_E5M2"), tensor("F8_E4M3", offsets="[1,2]")), 2),
    "comment": file("{/**/}"),
    "nan-halves": file('{"a":%s}' % tensor("BF16", "[2]", "[0,4]")) + b"\xc0\x7f\x00\x00",
    "html": b"<!DOCTYPE html><title>x</title>",
    "zip": b"PK\x03\x04" + bytes(22) + b"\x02\x00\x00\x00a/",
    "pickle": b"cos\nsystem\n.",
}

for name, data in SEEDS.items():
    with open(os.path.join(sys.argv[1], name), "wb") as out:
        out.write(data)
