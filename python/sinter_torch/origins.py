"""Where tensors were born: the line of Python that made each, or the name under which a module holds it."""
from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import linecache
import os
import sys
import sysconfig
import textwrap
from types import CodeType, FrameType
from typing import Optional

import torch
from torch import nn

from sinter_torch.language import Text
from sinter_torch.walk import Place

_SKIPPED = (os.path.dirname(os.path.abspath(torch.__file__)) + os.sep,
            os.path.dirname(os.path.abspath(__file__)) + os.sep)
_INSTALLED = tuple({sysconfig.get_paths()[key] + os.sep for key in ("stdlib", "platstdlib", "purelib", "platlib")})
_MARK = "_sinter_origin"
_LONGEST_STATEMENT = 12  # lines


@dataclasses.dataclass(frozen=True)
class Line:
    """A line of Python on the stack."""

    file: str
    line: int
    function: str

    @property
    def source(self) -> str:
        """The text of the line, or "" where it cannot be read (a notebook cell that is gone, `python -c`)."""
        return linecache.getline(self.file, self.line).strip()

    @property
    def statement(self) -> str:
        """The text of the line and of those behind it, until its brackets are closed."""
        text = ""
        for number in range(self.line, self.line + _LONGEST_STATEMENT):
            text += linecache.getline(self.file, number)
            if text.count("(") <= text.count(")"):
                break
        return text

    def __str__(self) -> str:
        return f"{shown_path(self.file)}:{self.line}"


@dataclasses.dataclass(frozen=True)
class Birth:
    """Where the device (or dtype) of a tensor was decided.

    name: what the tensor is called there: "text_encoder.scale" or "argument 'ids'"; "" for one that code made.
    kind: "parameter", "buffer", "attribute", "held", "given", "argument" for tensors that were there before;
        "made", "data" (from lists, numbers or NumPy arrays), "loaded" and "moved" for those that the watched code made.
    line: the innermost line outside PyTorch; `user_line` the innermost one outside every installed package, if another.
    inside: for an unregistered tensor that no attribute holds by itself, the way from its module: "tables['scale']".
    """

    kind: str
    name: str = ""
    op: str = ""
    line: Optional[Line] = None
    user_line: Optional[Line] = None
    registered: bool = True
    inside: str = ""

    @property
    def follows(self) -> bool:
        """Whether its line takes the device from somewhere else (`device=x.device`), or nothing is known of it."""
        if self.kind not in ("made", "moved", "data"):
            return self.kind == "unknown"
        return self.line is not None and "device" in self.line.statement

    def say(self, lang: str) -> str:
        """One phrase that names the tensor and its birthplace."""
        key = self.kind if self.registered or self.kind != "parameter" else "hidden"
        where = _AT.say(lang, line=self.line) if self.line else ""
        if self.user_line:
            where += _CALLED.say(lang, line=self.user_line)
        return _KINDS[key].say(lang, name=self.name, op=self.op) + where


_AT = Text(" at {line}", "，位置 {line}")
_CALLED = Text(" (called at {line})", "（调用处 {line}）")
_KINDS = {
    "parameter": Text("parameter '{name}'", "模型参数 '{name}'"),
    "hidden": Text("parameter '{name}' of a module in a plain list, dict or object",
                   "参数 '{name}'（所属模块放在普通列表、字典或对象里，未注册）"),
    "buffer": Text("buffer '{name}'", "缓冲区 '{name}'"),
    "attribute": Text("unregistered tensor '{name}'", "未注册的张量 '{name}'"),
    "held": Text("tensor '{name}' of an object that is no module", "非模块对象里的张量 '{name}'"),
    "given": Text("tensor '{name}', made before the run", "运行前已存在的张量 '{name}'"),
    "argument": Text("argument '{name}', made before the call", "调用前已存在的实参 '{name}'"),
    "unknown": Text("a tensor made before the run", "运行前已存在的张量"),
    "data": Text("tensor made from Python or NumPy data", "由 Python 或 NumPy 数据创建的张量"),
    "loaded": Text("tensor loaded from a file", "从文件加载的张量"),
    "made": Text("tensor made by {op}", "由 {op} 创建的张量"),
    "moved": Text("tensor placed by {op}", "由 {op} 搬运的张量"),
}


# What an operator is called in Python where that is another name.
_SPOKEN = {"_to_copy": "to()", "lift_fresh": "tensor()", "copy_": "copy_()", "_efficientzerotensor": "zeros"}


# Functions that run the user's code: what called them is not part of it.
OUTERMOST: set[CodeType] = set()


def shown_path(file: str) -> str:
    """Relative to the working directory where it lies below it, else without the folder of installed packages."""
    for folder in (os.getcwd() + os.sep, *_INSTALLED):
        if file.startswith(folder):
            return file[len(folder):].replace("site-packages" + os.sep, "")
    return file


def is_installed(file: str) -> bool:
    """Whether `file` belongs to an installed package or the standard library rather than to the user."""
    return file.startswith(_INSTALLED) or "site-packages" in file or "dist-packages" in file


def is_skipped(file: str) -> bool:
    """Whether frames of `file` say nothing to the user: PyTorch, this package, code without a file."""
    return file.startswith(_SKIPPED) or (file.startswith("<") and not file.startswith(("<stdin", "<ipython", "<string")))


def line_of(frame: FrameType) -> Line:
    return Line(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)


def lines_here() -> tuple[Optional[Line], Optional[Line]]:
    """The innermost line outside PyTorch, and the innermost one of the user's own if that is another."""
    inner: Optional[Line] = None
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None and frame.f_code not in OUTERMOST:
        file = frame.f_code.co_filename
        if not is_skipped(file):
            if not is_installed(file):
                return (line_of(frame), None) if inner is None else (inner, line_of(frame))
            if inner is None:
                inner = line_of(frame)
        frame = frame.f_back
    return inner, None


def birth_of_place(place: Place) -> Birth:
    """The birth of a tensor that was found in a module or object, with the line of its assignment where it shows."""
    line = assignment(place.owner, place.attribute) if place.owner is not None and place.kind == "attribute" else None
    way = place.path[len(place.owner_path):].lstrip(".") if place.kind == "attribute" and place.owner is not None else ""
    return Birth(place.kind, place.path or place.attribute, line=line, registered=place.registered,
                 inside="" if way == place.attribute else way)


@functools.lru_cache(maxsize=None)
def _assignments(cls: type) -> dict[str, Line]:
    """Attribute -> line, for every `self.x = ...` in the source of a class."""
    try:
        source, first = inspect.getsourcelines(cls)
        tree = ast.parse(textwrap.dedent("".join(source)))
        file = inspect.getsourcefile(cls) or ""
    except (OSError, TypeError, SyntaxError, ValueError):
        return {}
    found: dict[str, Line] = {}
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Assign, ast.AnnAssign)):
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
                found.setdefault(target.attr, Line(file, first + node.lineno - 1, cls.__name__))
    return found


def assignment(owner: nn.Module, attribute: str) -> Optional[Line]:
    """Where the class of `owner` first assigns `attribute`; None where no source says so."""
    for cls in type(owner).__mro__:
        if cls is nn.Module:
            break
        line = _assignments(cls).get(attribute)
        if line is not None:
            return line
    return None


@dataclasses.dataclass(frozen=True)
class Origin:
    """The two births of a tensor: of its device and of its dtype. `derived`: they are those of what it was computed from.

    others: the births of what else it was computed from that would itself be on the wrong device once the first is moved.
    """

    device: Birth
    dtype: Birth
    derived: bool = False
    others: tuple[Birth, ...] = ()


class Origins:
    """The origins of one watched run, kept on the tensor objects; those of another run do not count.

    Not thread-safe; a run is watched in one thread.
    """

    def of(self, tensor: torch.Tensor) -> Optional[Origin]:
        kept = getattr(tensor, _MARK, None)
        return kept[1] if isinstance(kept, tuple) and kept[0] is self else None

    def mark(self, tensor: torch.Tensor, origin: Origin) -> None:
        """Writes the origin on the tensor object; tensors that take no attributes stay without one."""
        try:
            setattr(tensor, _MARK, (self, origin))
        except (AttributeError, RuntimeError, TypeError):
            pass

    def mark_result(self, result: torch.Tensor, inputs: list[torch.Tensor], op: str,
                    bound: Optional[list[torch.Tensor]] = None) -> None:
        """Marks what an operator returned; `bound` are the inputs that have to be where the other inputs are.

        Its device and its dtype each come from the first input that has the same, else from here. Among several a
        parameter goes first: a module that stayed behind is the cause, not what it was fed.
        """
        if self.of(result) is not None:
            return
        known = [(tensor, origin) for tensor, origin in ((t, self.of(t)) for t in inputs) if origin is not None]
        device = _inherited([o.device for t, o in known if t.device == result.device])
        dtype = _inherited([o.dtype for t, o in known if t.dtype == result.dtype])
        derived = device is not None
        if device is None or dtype is None:
            line, user_line = lines_here()
            here = Birth("moved" if inputs else "made", op=_SPOKEN.get(op, op), line=line, user_line=user_line)
            device, dtype = device or here, dtype or here
        others = [origin for t, origin in known if t.device == result.device and any(t is b for b in bound or inputs)]
        self.mark(result, Origin(device, dtype, derived, _others(device, others) if derived else ()))


_MOST_OTHERS = 16  # births of one tensor that are told besides the first


def _others(first: Birth, origins: list[Origin]) -> tuple[Birth, ...]:
    """The births besides the first that need a repair of their own, in the order in which they took part."""
    births = [first]
    for origin in origins:
        for birth in (origin.device, *origin.others):
            if not (birth.follows or any(together(birth, other) for other in births)):
                births.append(birth)
    return tuple(births[1:_MOST_OTHERS + 1])


def together(birth: Birth, other: Birth) -> bool:
    """Whether one repair moves both: one tensor, or two that a module's to() takes along."""
    registered = ("parameter", "buffer")
    if birth.kind in registered and other.kind in registered:
        return birth.name.split(".")[0] == other.name.split(".")[0] or "." not in birth.name or "." not in other.name
    return birth == other


def _inherited(births: list[Birth]) -> Optional[Birth]:
    registered = [birth for birth in births if birth.kind in ("parameter", "buffer")]
    return next(iter(registered or births), None)
