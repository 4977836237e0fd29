"""Checks before an export that look at names, axes, sizes, the file and the installed packages."""
from __future__ import annotations

import importlib.util
import os
import shutil
from typing import Callable, Optional

from sinter_torch.checklist import FAILURE, OK, WARNING, Check
from sinter_torch.devices import readable_bytes, size_bytes
from sinter_torch.language import Text
from sinter_torch.request import Request, torch_version

ExportCheck = Callable[[Request], Optional[Check]]
MIN_OPSET = 17
PROTOBUF_LIMIT = 2 << 30  # a protobuf message holds no more bytes
PIXELS, LATENTS = 64, 8   # a UNet halves three times, and a latent is 8 pixels


def _input_names(request: Request) -> Check:
    tensors = [name for name, _ in request.tensors]
    names = request.input_names
    if names is None:
        return Check("input names", WARNING, Text("no input names: the graph gets names of PyTorch's choice",
                                                  "没有指定输入名：图里的名字由 PyTorch 决定"),
                     Text("input_names=[...], one for each of {count} tensors", "input_names=[...]，共 {count} 个张量各一个"),
                     {"count": len(tensors)})
    facts = {"names": len(names), "count": len(tensors)}
    if len(set(names)) != len(names):
        return Check("input names", FAILURE, Text("an input name is there twice", "输入名有重复"), None, facts)
    if len(names) != len(tensors):
        return Check("input names", FAILURE, Text("input names: {names}, input tensors: {count}",
                                                  "输入名 {names} 个，输入张量 {count} 个"),
                     Text("one name for each tensor, in the order of forward", "按 forward 的顺序，每个张量一个名字"), facts)
    taken = {name for name, _ in [*request.module.named_parameters(), *request.module.named_buffers()]}
    same = sorted(taken.intersection(names))
    if same:
        return Check("input names", FAILURE if request.dynamo else WARNING, Text(
            "input '{name}' is called like a weight of the module", "输入 '{name}' 与模块的权重同名"),
            Text("give the input another name", "换一个输入名"), {**facts, "name": same[0]})
    return Check("input names", OK, Text("one for each of {count}", "{count} 个张量各有一个"), None, facts)


def _axis_names(request: Request) -> Optional[Check]:
    known = {name for name, _ in request.tensors} | set(request.output_names or ())
    unknown = sorted(set(request.dynamic_axes) - known)
    if unknown:
        return Check("dynamic axes", FAILURE, Text("dynamic_axes names '{name}', which is no input or output; those are {known}",
                                                   "dynamic_axes 里的 '{name}' 不是输入也不是输出；已有：{known}"),
                     Text("use the names of input_names and output_names", "使用 input_names 与 output_names 里的名字"),
                     {"name": unknown[0], "known": ", ".join(sorted(known))})
    odd = sorted({axis for axes in request.dynamic_axes.values() for axis in axes.values() if not str(axis).isidentifier()})
    if odd:
        return Check("dynamic axes", FAILURE, Text("'{name}' is no name for an axis", "'{name}' 不能作为维度名"),
                     Text("letters, digits and underscores", "只用字母、数字和下划线"), {"name": odd[0]})
    for name, tensor in request.tensors:
        for axis in request.dynamic_axes.get(name, {}):
            if not -tensor.dim() <= axis < tensor.dim():
                return Check("dynamic axes", FAILURE, Text("input '{name}' has {rank} dimensions, and axis {axis} is none of them",
                                                           "输入 '{name}' 只有 {rank} 维，没有第 {axis} 维"), None,
                             {"name": name, "rank": tensor.dim(), "axis": axis})
    return _shared_axes(request)


def _shared_axes(request: Request) -> Check:
    """Axis 0 of one input is named and that of another input of the same extent is not: it gets fixed, or the export fails."""
    first = {name: t for name, t in request.tensors if t.dim() > 0}
    batch = {name: request.dynamic_axes.get(name, {}).get(0) for name in first}
    named = [name for name in first if batch[name]]
    if not request.dynamic_axes:
        return Check("dynamic axes", WARNING, Text("none: the graph takes inputs of exactly these shapes",
                                                   "未设置：导出的图只接受当前形状的输入"),
                     Text("dynamic_axes={{'sample': {{0: 'batch', 2: 'height', 3: 'width'}}, ...}}",
                          "dynamic_axes={{'sample': {{0: 'batch', 2: 'height', 3: 'width'}}, ...}}"))
    for name, tensor in first.items():
        partners = [other for other in named if first[other].shape[0] == tensor.shape[0] and tensor.shape[0] > 1]
        if not batch[name] and partners:
            return Check("dynamic axes", FAILURE if request.dynamo else WARNING, Text(
                "the first axis of '{other}' varies, that of '{name}' has the same extent and does not",
                "'{other}' 的第 0 维是动态的，'{name}' 的第 0 维大小相同却是固定的"),
                Text("name it too: '{name}': {{0: '{axis}'}}", "一并设为动态：'{name}': {{0: '{axis}'}}"),
                {"name": name, "other": partners[0], "axis": batch[partners[0]]})
    single = [(name, axis) for name, t in request.tensors for axis in request.dynamic_axes.get(name, {}) if t.shape[axis] == 1]
    if request.dynamo and single:
        return Check("dynamic axes", WARNING, Text("axis {axis} of '{name}' is to vary and is 1 here: the dynamo exporter may fix it",
                                                   "'{name}' 的第 {axis} 维要求动态，但示例中为 1：dynamo 导出器可能会将其固定"),
                     Text("export with an input of extent 2 there", "导出时把示例输入的这一维取为 2"),
                     {"name": single[0][0], "axis": single[0][1]})
    return Check("dynamic axes", OK, Text("on {names}", "涉及 {names}"), None,
                 {"names": ", ".join(request.dynamic_axes)})


def _opset(request: Request) -> Check:
    if request.opset < MIN_OPSET:
        return Check("opset", FAILURE, Text("opset {opset} has no LayerNormalization", "opset {opset} 没有 LayerNormalization"),
                     Text("opset={least}: TensorRT 8.6 and later, ONNX Runtime and OpenVINO read it",
                          "opset={least}：TensorRT 8.6 及以上、ONNX Runtime、OpenVINO 都支持"),
                     {"opset": request.opset, "least": MIN_OPSET})
    if request.dynamo and request.opset < 18:
        return Check("opset", WARNING, Text("the dynamo exporter writes opset 18 and often cannot convert it down to {opset}",
                                            "dynamo 导出器生成 opset 18，往往无法降到 {opset}"),
                     Text("dynamo=False for opset 17, or opset=18", "需要 opset 17 时用 dynamo=False，或直接用 opset=18"),
                     {"opset": request.opset})
    return Check("opset", OK, Text("{opset}", "{opset}"), None, {"opset": request.opset})


def _sizes(request: Request) -> Check:
    """Height and width of pictures and latents; three channels or one are pixels, others latents."""
    for name, tensor in request.tensors:
        if tensor.dim() != 4:
            continue
        pixels = int(tensor.shape[1]) in (1, 3)
        step = PIXELS if pixels else LATENTS
        for extent in (int(tensor.shape[2]), int(tensor.shape[3])):
            if extent % step:
                return Check("sizes", FAILURE, Text("input '{name}' is {height}x{width}, no multiple of {step} ({unit})",
                                                    "输入 '{name}' 为 {height}x{width}，不是 {step} 的倍数（{unit}）"),
                             Text("use sizes that are multiples of 64 pixels, 8 latent cells", "使用 64 像素（8 个潜空间单元）的倍数"),
                             {"name": name, "height": int(tensor.shape[2]), "width": int(tensor.shape[3]), "step": step,
                              "unit": "px" if pixels else "latent"})
    return Check("sizes", OK, Text("multiples of 64 pixels", "均为 64 像素的倍数"))


def _file(request: Request) -> Optional[Check]:
    if request.path is None:
        return None
    folder = os.path.dirname(os.path.abspath(request.path))
    facts = {"folder": folder, "path": request.path}
    if not os.path.isdir(folder):
        return Check("file", FAILURE, Text("the folder {folder} does not exist", "文件夹 {folder} 不存在"),
                     Text("make it first", "先创建文件夹"), facts)
    if not os.access(folder, os.W_OK):
        return Check("file", FAILURE, Text("the folder {folder} cannot be written", "文件夹 {folder} 不可写"), None, facts)
    needed = sum(size_bytes(t) for t in [*request.module.parameters(), *request.module.buffers()])
    free = shutil.disk_usage(folder).free
    facts.update(needed=readable_bytes(needed), free=readable_bytes(free))
    if free < needed:
        return Check("file", FAILURE, Text("the weights take {needed}, and {folder} has {free} left",
                                           "权重需要 {needed}，而 {folder} 只剩 {free}"), None, facts)
    if needed >= PROTOBUF_LIMIT:
        return Check("file", WARNING, Text("the weights take {needed}, more than one ONNX file holds: they go into files beside it",
                                           "权重有 {needed}，超过单个 ONNX 文件的上限：会写到旁边的外部数据文件"),
                     Text("give the graph a folder of its own, and move it as a whole", "给导出的图单独一个文件夹，搬动时整个一起搬"),
                     facts)
    if not request.path.isascii():
        return Check("file", WARNING, Text("the path has characters outside ASCII: TensorRT and others fail on it on Windows",
                                           "路径含有非 ASCII 字符：在 Windows 上 TensorRT 等工具可能打不开"),
                     Text("export to a plain path", "导出到纯英文路径"), facts)
    return Check("file", OK, Text("{needed} of weights, {free} free", "权重 {needed}，剩余空间 {free}"), None, facts)


def _packages(request: Request) -> Check:
    lacking = [name for name in ("onnx", "onnxscript") if importlib.util.find_spec(name) is None]
    facts = {"names": ", ".join(lacking), "version": ".".join(map(str, torch_version()))}
    if request.dynamo and torch_version() < (2, 5):
        return Check("packages", FAILURE, Text("torch {version} has no torch.onnx.export(dynamo=True); 2.5 brought it",
                                               "torch {version} 没有 torch.onnx.export(dynamo=True)，2.5 起才有"),
                     Text("dynamo=False", "dynamo=False"), facts)
    if lacking and request.dynamo:
        return Check("packages", FAILURE, Text("the dynamo exporter needs {names}", "dynamo 导出器需要 {names}"),
                     Text("pip install {names}, or dynamo=False", "pip install {names}，或 dynamo=False"), facts)
    if "onnx" in lacking:
        return Check("packages", WARNING, Text("the package onnx is missing: the graph cannot be checked afterwards",
                                               "没有安装 onnx：导出后无法检查"), Text("pip install onnx", "pip install onnx"), facts)
    return Check("packages", OK, Text("torch {version}, onnx", "torch {version}，onnx"), None, facts)


EXPORT_CHECKS: tuple[ExportCheck, ...] = (_input_names, _axis_names, _opset, _sizes, _file, _packages)


def run_export_checks(request: Request) -> list[Check]:
    """Every check of this file that has something to say."""
    return [check for check in (check(request) for check in EXPORT_CHECKS) if check is not None]
