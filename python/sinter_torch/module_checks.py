"""Checks before an export that look at the module, its inputs and PyTorch's settings."""
from __future__ import annotations

from collections import Counter
from typing import Callable, Iterable, Optional

import torch

from sinter_torch.checklist import FAILURE, FIXABLE, OK, WARNING, Check
from sinter_torch.devices import agrees, short_dtype
from sinter_torch.language import Text
from sinter_torch.request import Request
from sinter_torch.settings import default_device, training_modules
from sinter_torch.walk import Place, places

ModuleCheck = Callable[[Request, "list[Place]"], Optional[Check]]
_WRAPPERS = ("DataParallel", "DistributedDataParallel", "FullyShardedDataParallel", "OptimizedModule")


def _plain(request: Request, found: list[Place]) -> Check:
    kind = type(request.module).__name__
    if kind in _WRAPPERS:
        return Check("plain module", FAILURE, Text("the module is wrapped in {kind}", "模块外面包了一层 {kind}"),
                     Text("export what is inside: module.module, or module._orig_mod for torch.compile",
                          "导出里面的模块：module.module；torch.compile 的用 module._orig_mod"), {"kind": kind})
    if any(hasattr(module, "_hf_hook") for module in request.module.modules()):
        return Check("plain module", FAILURE, Text("accelerate's hooks move parts of the module while it runs",
                                                   "accelerate 的钩子会在运行时搬运模块"),
                     Text("load without device_map and offload, or remove_hook_from_module(module, recurse=True)",
                          "加载时不要用 device_map 和显存卸载，或调用 remove_hook_from_module(module, recurse=True)"))
    return Check("plain module", OK, Text("{kind}", "{kind}"), None, {"kind": kind})


def _eval_mode(request: Request, found: list[Place]) -> Check:
    training = training_modules([request.module])
    if not training:
        return Check("eval mode", OK, Text("dropout and batch norm are in inference mode", "dropout 与 batch norm 处于推理模式"))
    return Check("eval mode", FIXABLE, Text("modules in training mode: {count}, such as '{name}'",
                                            "{count} 个模块处于训练模式，例如 '{name}'"),
                 Text("module.eval()", "module.eval()"),
                 {"count": len(training), "name": training[0] or type(request.module).__name__})


def _gradients(request: Request, found: list[Place]) -> Check:
    if not torch.is_grad_enabled():
        return Check("no gradients", OK, Text("gradients are not recorded", "没有记录梯度"))
    return Check("no gradients", FIXABLE, Text("gradients are recorded, which costs memory and time",
                                               "正在记录梯度，浪费显存和时间"),
                 Text("export inside torch.no_grad()", "在 torch.no_grad() 中导出"))


def _checkpointing(request: Request, found: list[Place]) -> Optional[Check]:
    names = [name for name, module in request.module.named_modules() if getattr(module, "gradient_checkpointing", False)]
    if not names:
        return None
    return Check("gradient checkpointing", WARNING, Text("gradient checkpointing is on in '{name}'",
                                                         "'{name}' 开启了梯度检查点"),
                 Text("module.disable_gradient_checkpointing()", "module.disable_gradient_checkpointing()"),
                 {"name": names[0] or type(request.module).__name__})


def _one_device(request: Request, found: list[Place]) -> Check:
    strays = [p for p in found if p.kind in ("parameter", "buffer") and not agrees(p.tensor.device, request.device)]
    strays += [p for p in found if p.kind == "attribute" and not agrees(p.tensor.device, request.device)]
    if not strays:
        return Check("one device", OK, Text("every tensor of the module is on {device}", "模块的所有张量都在 {device} 上"), None,
                     {"device": request.device})
    facts = {"count": len(strays), "name": strays[0].path, "found": strays[0].tensor.device, "device": request.device}
    if any(p.tensor.device.type == "meta" for p in strays):
        return Check("one device", FAILURE, Text("tensors without data: {count}, such as '{name}' on meta",
                                                 "{count} 个张量没有数据，例如 meta 设备上的 '{name}'"),
                     Text("load the weights completely before the export", "导出前把权重完整加载进来"), facts)
    return Check("one device", FIXABLE, Text("tensors that are not on {device}: {count}, such as '{name}' on {found}",
                                             "{count} 个张量不在 {device} 上，例如 {found} 上的 '{name}'"),
                 Text("module.to({device!r}), and register_buffer() for what it leaves behind",
                      "module.to({device!r})；它带不走的张量用 register_buffer() 注册"),
                 {**facts, "device": str(request.device)})


def _unregistered(request: Request, found: list[Place]) -> Optional[Check]:
    hidden = [p for p in found if p.kind == "attribute" or (p.kind in ("parameter", "buffer") and not p.registered)]
    if not hidden:
        return None
    return Check("registered tensors", WARNING, Text("tensors that no .to() moves: {count}, such as '{name}'",
                                                     "{count} 个张量未注册，例如 '{name}'：.to() 不会搬运它们"),
                 Text("register_buffer(), nn.ModuleList, nn.ModuleDict", "register_buffer()、nn.ModuleList、nn.ModuleDict"),
                 {"count": len(hidden), "name": hidden[0].path})


def _input_devices(request: Request, found: list[Place]) -> Check:
    strays = [(name, t) for name, t in request.tensors if not agrees(t.device, request.device)]
    if not strays:
        return Check("inputs on the device", OK, Text("every input is on {device}", "所有输入都在 {device} 上"), None,
                     {"device": request.device})
    return Check("inputs on the device", FIXABLE, Text("inputs that are not on {device} like the module: {inputs}",
                                                       "不在模块所在设备 {device} 上的输入：{inputs}"),
                 Text("to_device(inputs, {device!r})", "to_device(inputs, {device!r})"),
                 {"inputs": _listed((name, str(t.device)) for name, t in strays), "device": str(request.device)})


def _listed(named: Iterable[tuple[str, str]]) -> str:
    """"'sample' (float64), 'context' (float64)"."""
    return ", ".join(f"'{name}' ({value})" for name, value in named)


def module_dtype(request: Request, found: list[Place]) -> Optional[torch.dtype]:
    """The floating dtype of the export: the one that was asked for, else that of most parameters; None without any."""
    counts = Counter(p.tensor.dtype for p in found if p.kind == "parameter" and p.tensor.dtype.is_floating_point)
    return request.dtype or (counts.most_common(1)[0][0] if counts else None)


def _one_dtype(request: Request, found: list[Place]) -> Check:
    dtype = module_dtype(request, found)
    odd = [p for p in found if p.kind == "parameter" and p.tensor.dtype.is_floating_point and p.tensor.dtype != dtype]
    if dtype is None or not odd:
        return Check("one dtype", OK, Text("every weight is {dtype}", "所有权重都是 {dtype}"), None,
                     {"dtype": short_dtype(dtype) if dtype else "-"})
    facts = {"count": len(odd), "name": odd[0].path, "found": short_dtype(odd[0].tensor.dtype), "dtype": short_dtype(dtype)}
    text = Text("weights that are not {dtype}: {count}, such as '{name}', {found}", "{count} 个权重不是 {dtype}，例如 '{name}' 是 {found}")
    repair = Text("module.to(torch.{dtype}), or pass dtype=torch.{dtype}", "module.to(torch.{dtype})，或传入 dtype=torch.{dtype}")
    kept = getattr(request.module, "_keep_in_fp32_modules", None)
    state = FIXABLE if request.dtype is not None else WARNING if kept else FAILURE
    return Check("one dtype", state, text, repair, facts)


def odd_inputs(request: Request, dtype: Optional[torch.dtype]) -> list[tuple[str, torch.Tensor]]:
    """Floating inputs of another dtype than the weights. A scalar or a vector is none: time steps are float32 by purpose,
    half precision cannot count them, and models cast their embedding instead."""
    return [(name, t) for name, t in request.tensors
            if dtype is not None and t.dtype.is_floating_point and t.dtype != dtype and t.dim() > 1]


def _input_dtypes(request: Request, found: list[Place]) -> Check:
    dtype = module_dtype(request, found)
    odd = odd_inputs(request, dtype)
    if dtype is None or not odd:
        return Check("input dtypes", OK, Text("the inputs have the dtype of the weights", "输入与权重精度一致"))
    return Check("input dtypes", FIXABLE, Text("inputs that are not {dtype} like the weights: {inputs}",
                                               "与权重精度 {dtype} 不一致的输入：{inputs}"),
                 Text("to_device(inputs, device, dtype=torch.{dtype})", "to_device(inputs, device, dtype=torch.{dtype})"),
                 {"inputs": _listed((name, short_dtype(t.dtype)) for name, t in odd), "dtype": short_dtype(dtype)})


def _half_on_cpu(request: Request, found: list[Place]) -> Optional[Check]:
    dtype = module_dtype(request, found)
    if request.device.type != "cpu" or dtype not in (torch.float16, torch.bfloat16):
        return None
    return Check("half on the CPU", WARNING, Text("the weights are {dtype} on the CPU: slow, and older PyTorch lacks operators",
                                                  "权重是 CPU 上的 {dtype}：速度慢，旧版 PyTorch 还缺少算子"),
                 Text("export in float32 and convert the graph, or export on the GPU",
                      "用 float32 导出后再转换图的精度，或在 GPU 上导出"), {"dtype": short_dtype(dtype)})


def _defaults(request: Request, found: list[Place]) -> Check:
    device, dtype = default_device(), torch.get_default_dtype()
    if device is None and dtype == torch.float32:
        return Check("default device and dtype", OK, Text("none set, float32", "未设置默认设备，默认精度为 float32"))
    return Check("default device and dtype", FIXABLE, Text(
        "set_default_device is {device}, set_default_dtype {dtype}: constants that forward makes follow them",
        "默认设备为 {device}，默认精度为 {dtype}：forward 里创建的常量会跟着变"),
        Text("torch.set_default_device(None), torch.set_default_dtype(torch.float32)",
             "torch.set_default_device(None)，torch.set_default_dtype(torch.float32)"),
        {"device": device, "dtype": short_dtype(dtype)})


def _autocast(request: Request, found: list[Place]) -> Check:
    on = torch.is_autocast_enabled() or torch.is_autocast_cpu_enabled()
    if not on:
        return Check("autocast", OK, Text("off", "未开启"))
    return Check("autocast", FIXABLE, Text("autocast is on: the graph would be full of Cast nodes",
                                           "autocast 处于开启状态：导出的图里会有大量 Cast 节点"),
                 Text("leave the autocast block before the export", "导出前退出 autocast"))


MODULE_CHECKS: tuple[ModuleCheck, ...] = (
    _plain, _eval_mode, _gradients, _checkpointing, _one_device, _unregistered, _input_devices, _one_dtype, _input_dtypes,
    _half_on_cpu, _defaults, _autocast)


def run_module_checks(request: Request) -> list[Check]:
    """Every check of this file that has something to say."""
    found = places(request.module)
    return [check for check in (check(request, found) for check in MODULE_CHECKS) if check is not None]
