"""A look at a written ONNX file: is it valid, and is it what was asked for. Needs the package onnx."""
from __future__ import annotations

from typing import Any

from sinter_torch.language import Text
from sinter_torch.request import Request

_INVALID = Text("onnx refuses the graph: {reason}", "onnx 检查未通过：{reason}")
_NO_INPUT = Text("the graph has no input '{name}' (its inputs: {found}): forward does not use it, or it became a constant",
                 "图中没有输入 '{name}'（现有输入：{found}）：forward 没有用到它，或它被固化成了常量")
_NO_OUTPUT = Text("the graph has no output '{name}' (its outputs: {found})", "图中没有输出 '{name}'（现有输出：{found}）")
_FIXED = Text("axis {axis} of '{name}' was to vary, and the graph fixes it at {extent}",
              "'{name}' 的第 {axis} 维本应是动态的，图中却固定为 {extent}")
_OPSET = Text("opset {wanted} was asked for, and the graph is opset {found}", "要求 opset {wanted}，而图是 opset {found}")
_DROPOUT = Text("the graph has Dropout nodes, as if it had been exported in training mode", "图中含有 Dropout 节点，像是在训练模式下导出的")


def problems_of(wanted: Request, lang: str) -> tuple[str, ...]:
    """What is wrong with the file at wanted.path, a sentence each.

    Raises OSError where it cannot be read.
    """
    import onnx
    assert wanted.path is not None
    model = onnx.load(wanted.path, load_external_data=False)
    found = []
    try:
        onnx.checker.check_model(wanted.path, full_check=True)  # by path, so that weights in other files are found
    except Exception as error:  # the checker and shape inference raise types of their own
        found.append(_INVALID.say(lang, reason=str(error).strip().split("\n")[0]))
    weights = {tensor.name for tensor in model.graph.initializer}
    inputs = {value.name: value for value in model.graph.input if value.name not in weights}
    outputs = {value.name: value for value in model.graph.output}
    for text, names, have in ((_NO_INPUT, wanted.input_names, inputs), (_NO_OUTPUT, wanted.output_names, outputs)):
        found += [text.say(lang, name=name, found=", ".join(have)) for name in names or () if name not in have]
    for name, axes in wanted.dynamic_axes.items():
        value = inputs.get(name) or outputs.get(name)
        found += [_FIXED.say(lang, name=name, axis=axis, extent=extent) for axis in axes
                  for extent in _fixed_extent(value, axis)]
    opset = next((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), wanted.opset)
    if opset != wanted.opset:
        found.append(_OPSET.say(lang, wanted=wanted.opset, found=opset))
    if any(node.op_type == "Dropout" for node in model.graph.node):
        found.append(_DROPOUT.say(lang))
    return tuple(found)


def _fixed_extent(value: Any, axis: int) -> list[int]:
    """The extent of an axis that is a number, or nothing."""
    if value is None:
        return []
    dimensions = value.type.tensor_type.shape.dim
    if not -len(dimensions) <= axis < len(dimensions) or not dimensions[axis].HasField("dim_value"):
        return []
    return [dimensions[axis].dim_value]
