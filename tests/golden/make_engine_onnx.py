#!/usr/bin/env python3
"""Makes tests/data/engine: tiny ONNX files for the TensorRT-RTX parser. Needs onnx==1.23.2; byte-identical when run again.

y = x @ w + b with the weights in weights.bin behind 13 foreign bytes, so that no offset is aligned.
"""

import pathlib
import struct

from onnx import TensorProto, helper

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "data/engine"
PREFIX = 13
MATMUL = helper.make_node("MatMul", ["x", "w"], ["scaled"], "proj/matmul")
ADD = helper.make_node("Add", ["scaled", "b"], ["y"], "proj/add")
UNKNOWN = helper.make_node("Nonsense", ["scaled"], ["y"], "proj/nonsense")


def external(name, shape, location, offset, length, dtype=TensorProto.FLOAT):
    tensor = TensorProto(name=name, data_type=dtype, dims=shape, data_location=TensorProto.EXTERNAL)
    for key, value in (("location", location), ("offset", offset), ("length", length)):
        tensor.external_data.add(key=key, value=str(value))
    return tensor


def write(name, nodes, initializers):
    value = lambda text: helper.make_tensor_value_info(text, TensorProto.FLOAT, ["batch", 4])
    graph = helper.make_graph(nodes, "tiny", [value("x")], [value("y")], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="sinter")
    (FOLDER / name).write_bytes(model.SerializeToString(deterministic=True))


FOLDER.mkdir(parents=True, exist_ok=True)
(FOLDER / "weights.bin").write_bytes(
    b"\x01" * PREFIX + struct.pack("<16f", *(i / 16 for i in range(16))) + struct.pack("<4f", 0, 1, 2, 3))


def weights(location):
    return [external("w", [4, 4], location, PREFIX, 64), external("b", [4], location, PREFIX + 64, 16)]


write("beside.onnx", [MATMUL, ADD], weights("weights.bin"))
write("above.onnx", [MATMUL, ADD], weights("../weights.bin"))
write("absent.onnx", [MATMUL, ADD], weights("nothing.bin"))
write("beyond_the_end.onnx", [MATMUL, ADD],
      [external("w", [4, 4], "weights.bin", PREFIX, 64), external("b", [4], "weights.bin", 90, 16)])
write("unknown_operator.onnx", [MATMUL, UNKNOWN], weights("weights.bin")[:1])
write("mixed_types.onnx", [MATMUL, ADD],
      [external("w", [4, 4], "weights.bin", PREFIX, 32, TensorProto.FLOAT16)] + weights("weights.bin")[1:])
