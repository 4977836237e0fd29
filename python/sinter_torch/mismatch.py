"""One mismatch: which tensors met where, who is out of place, and how to put that right."""
from __future__ import annotations

import dataclasses
import re
from typing import Any, Optional

from sinter_torch.language import Text
from sinter_torch.origins import Birth, Line


@dataclasses.dataclass(frozen=True)
class TensorFacts:
    """A tensor as the operator got it.

    argument: the operator's name for it, such as "mat1" or "tensors[1]". variable: what the calling code calls it, or "".
    birth: of the device for a device mismatch, of the dtype for a dtype mismatch; where `derived`, of what it was computed
        from.
    """

    argument: str
    device: str
    dtype: str
    shape: tuple[int, ...]
    birth: Birth
    variable: str = ""
    derived: bool = False

    def say(self, lang: str) -> str:
        name = f"{self.argument} ({self.variable})" if self.variable else self.argument
        birth = self.birth.say(lang)
        if self.derived:
            birth = _DERIVED.say(lang, birth=birth)
        return f"{name}: {self.device}, {self.dtype} {list(self.shape)}, {birth}"


@dataclasses.dataclass(frozen=True)
class Mismatch:
    """Tensors of one call that may not meet.

    kind: "device", "dtype", "generator" (a generator of another device than the tensor it fills) or "numpy" (a tensor
        that NumPy cannot read, for its device or its dtype).
    op: the operator or function. module: path of the innermost module that was running, "" outside of any;
        module_class its class. line, user_line: where it happened, see origins.Birth.
    wrong: indices into `tensors` of those out of place; wanted: the device or dtype that they should have had.
    count: how often it happened at that line with a tensor of that birth.
    """

    kind: str
    op: str
    module: str
    module_class: str
    line: Optional[Line]
    user_line: Optional[Line]
    tensors: tuple[TensorFacts, ...]
    wrong: tuple[int, ...]
    wanted: str
    count: int = 1

    @property
    def culprit(self) -> TensorFacts:
        """The first of the tensors that are out of place."""
        return self.tensors[self.wrong[0]]

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for two mismatches of one tensor at one line of one module."""
        birth = self.culprit.birth
        return (self.kind, self.op, self.module, self.line, birth.kind, birth.name, birth.line)

    @property
    def repair(self) -> tuple[Any, ...]:
        """Equal for mismatches that one repair puts right."""
        birth = self.culprit.birth
        return (self.kind, birth.kind, (not birth.inside and birth.line) or birth.name)

    @property
    def short(self) -> str:
        """The operator, the module and the line."""
        module = self.module or self.module_class
        return f"{self.op}{', ' + module if module else ''}{', ' + str(self.line) if self.line else ''}"

    def advice(self, lang: str) -> str:
        """The cheapest repair."""
        birth = self.culprit.birth
        kind = "hidden" if birth.kind == "parameter" and not birth.registered else birth.kind
        kind = "contained" if birth.inside else kind
        kind = "meta" if self.culprit.device == "meta" else kind
        text = _ADVICE.get((self.kind, kind)) or _ADVICE[(self.kind, "")]
        name = birth.name or self.culprit.variable or self.culprit.argument
        flat = re.sub(r"\W+", "_", birth.inside).strip("_")
        return text.say(lang, name=name, flat=flat, attribute=name.rpartition(".")[2], found=self.culprit.device,
                        wanted=self.wanted, module=name.rpartition(".")[0] or name, line=birth.line or "?")

    def say(self, lang: str = "en") -> str:
        """Several lines: what met where, each tensor with its birthplace, the repair."""
        module = self.module or self.module_class
        named = module if module == self.module_class else f"{module} ({self.module_class})"
        where = _IN_MODULE.say(lang, module=named) if module else ""
        at = _AT_LINE.say(lang, line=self.line) if self.line else ""
        if self.user_line:
            at += _CALLED.say(lang, line=self.user_line)
        lines = [_HEAD[self.kind].say(lang, op=self.op, where=where, at=at)]
        source = (self.user_line or self.line)
        if source is not None and source.source:
            lines.append(f"    {source.source}")
        for index, tensor in enumerate(self.tensors):
            lines.append(("  > " if index in self.wrong else "    ") + tensor.say(lang))
        lines.append(_FIX.say(lang, advice=self.advice(lang)))
        if self.count > 1:
            lines.append(_TIMES.say(lang, count=self.count))
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.say()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; keys are the names of the fields."""
        return dataclasses.asdict(self)


_DERIVED = Text("computed from {birth}", "由此计算得到：{birth}")
_IN_MODULE = Text(" in {module}", "，模块 {module}")
_AT_LINE = Text(" at {line}", "，位置 {line}")
_CALLED = Text(" (called at {line})", "（调用处 {line}）")
_FIX = Text("  fix: {advice}", "  修复：{advice}")
_TIMES = Text("  happened {count} times", "  共发生 {count} 次")
_HEAD = {
    "device": Text("tensors on different devices meet in {op}{where}{at}", "算子 {op} 的张量不在同一设备上{where}{at}"),
    "dtype": Text("tensors of different dtypes meet in {op}{where}{at}", "算子 {op} 的张量精度不一致{where}{at}"),
    "generator": Text("the generator of {op} is of another device than its result{where}{at}",
                      "{op} 的随机数生成器与结果张量不在同一设备上{where}{at}"),
    "numpy": Text("NumPy cannot read the tensor given to {op}{where}{at}", "{op} 的张量无法转换成 NumPy 数组{where}{at}"),
}
_ADVICE = {
    ("device", "parameter"): Text(
        "move the whole module before it runs: '{module}' stayed on {found} (a .to({wanted!r}) is missing, or was undone)",
        "运行前先把整个模块搬到目标设备：'{module}' 还留在 {found} 上（漏了 .to({wanted!r})，或之后又被移走）"),
    ("device", "hidden"): Text(
        "keep the modules in nn.ModuleList or nn.ModuleDict: .to() does not look into plain lists, dicts and objects ('{name}')",
        "用 nn.ModuleList 或 nn.ModuleDict 存放子模块：.to() 不会进入普通列表、字典和对象（'{name}'）"),
    ("device", "buffer"): Text(
        "the buffer '{name}' is on {found}: move its module to {wanted}, and do not set it with .cpu() or a fixed device",
        "缓冲区 '{name}' 在 {found} 上：把所属模块移到 {wanted}，赋值时不要用 .cpu() 或写死设备"),
    ("device", "attribute"): Text(
        "register it, then .to() takes it along: self.register_buffer({attribute!r}, tensor, persistent=False)",
        "注册成缓冲区，.to() 才会带上它：self.register_buffer({attribute!r}, tensor, persistent=False)"),
    ("device", "contained"): Text(
        "no .to() looks into plain lists, dicts and objects: self.register_buffer({flat!r}, tensor, persistent=False) and use "
        "self.{flat} for '{name}', or move it where it is used: .to({wanted!r})",
        ".to() 不会进入普通列表、字典和对象：用 self.register_buffer({flat!r}, tensor, persistent=False) 注册，并以 self.{flat} "
        "代替 '{name}'；或在使用处 .to({wanted!r})"),
    ("device", "held"): Text("move it where it is used: .to({wanted!r}), best .to(x.device) of its partner",
                             "在使用处搬运：.to({wanted!r})，最好写成 .to(x.device)，跟随另一个张量"),
    ("device", "argument"): Text("move the input before the call: {name} = {name}.to({wanted!r}), or to_device(...) for all",
                                 "调用前先搬运输入：{name} = {name}.to({wanted!r})，或用 to_device(...) 一次搬完"),
    ("device", "made"): Text("make it there: add device={wanted!r} (or device=x.device of its partner) at {line}",
                             "创建时就指定设备：在 {line} 加上 device={wanted!r}（或跟随另一个张量写 device=x.device）"),
    ("device", "data"): Text("move it as soon as it is made: .to({wanted!r}) or device={wanted!r} at {line}",
                             "创建后立即搬运：在 {line} 用 .to({wanted!r}) 或 device={wanted!r}"),
    ("device", "loaded"): Text("move it after loading: .to({wanted!r}) on each tensor that meets the model",
                               "加载后搬运：对要与模型运算的张量逐个 .to({wanted!r})"),
    ("device", "moved"): Text("{line} puts it on {found}: give it {wanted}, or the device of its partner",
                              "{line} 把它放到了 {found} 上：改成 {wanted}，或跟随另一个张量的设备"),
    ("device", "meta"): Text("give it data: it is on meta, so it was never loaded, or was made under torch.device(\"meta\")",
                             "给它数据：它在 meta 设备上，说明没有加载权重，或是在 torch.device(\"meta\") 下创建的"),
    ("device", ""): Text("move it before it is used: .to({wanted!r})", "使用前先搬运：.to({wanted!r})"),
    ("dtype", "parameter"): Text("load or cast '{module}' in {wanted}, like the rest: .to(torch.{wanted})",
                                 "让 '{module}' 与其余部分精度一致：.to(torch.{wanted})"),
    ("dtype", "made"): Text("make it in the dtype of the weights: dtype=torch.{wanted} (or dtype=x.dtype) at {line}",
                            "创建时就用权重的精度：在 {line} 加上 dtype=torch.{wanted}（或 dtype=x.dtype）"),
    ("dtype", ""): Text("cast it to the dtype of the weights before it is used: .to(torch.{wanted})",
                        "使用前转换到权重的精度：.to(torch.{wanted})"),
    ("generator", ""): Text("make the generator where the tensor is: torch.Generator({wanted!r}); or fill a tensor on {found} "
                            "and move it (the same picture on every GPU)",
                            "让生成器与张量同设备：torch.Generator({wanted!r})；或先在 {found} 上生成再搬运（各种显卡结果一致）"),
    ("numpy", ""): Text("bring it there first: tensor.detach().cpu().float().numpy()",
                        "先转换再读取：tensor.detach().cpu().float().numpy()"),
}
