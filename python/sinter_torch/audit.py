"""Where every tensor of a module or pipeline is, and which ones .to() leaves behind."""
from __future__ import annotations

import dataclasses
from typing import Any, Optional

import torch

from sinter_torch.devices import (
    DeviceLike,
    agrees,
    device_with_most,
    readable_bytes,
    short_dtype,
    size_bytes,
)
from sinter_torch.language import Text, checked
from sinter_torch.walk import Place, Walk

MAX_SHOWN = 30


@dataclasses.dataclass(frozen=True)
class TensorEntry:
    """One tensor: its path, what it is (see walk.Place.kind), whether .to() moves it, its device, dtype, shape and size.

    A tensor keeps its entry when it is moved; the tensor itself is not held.
    """

    path: str
    kind: str
    registered: bool
    device: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int

    @property
    def left_behind(self) -> bool:
        """A module uses it and no .to() moves it."""
        return self.kind == "attribute" or not self.registered


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Two audits of one object. moved: (before, after) of those whose device changed; stayed: leaks in both audits."""

    moved: tuple[tuple[TensorEntry, TensorEntry], ...]
    stayed: tuple[TensorEntry, ...]
    appeared: tuple[TensorEntry, ...]
    gone: tuple[TensorEntry, ...]
    lang: str = "en"

    def say(self, lang: Optional[str] = None) -> str:
        lang = lang or self.lang
        lines = [_COMPARED.say(lang, moved=len(self.moved), stayed=len(self.stayed), appeared=len(self.appeared),
                               gone=len(self.gone))]
        for title, entries in ((_STAYED, self.stayed), (_APPEARED, self.appeared), (_GONE, self.gone)):
            if entries:
                lines += [title.say(lang), *_rows(entries, lang)]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.say()


@dataclasses.dataclass(frozen=True)
class DeviceAudit:
    """Every tensor that can be reached, in the order of the walk.

    expected: the device that the modules' tensors should be on. leaks: those of modules that are elsewhere, largest first.
    unregistered: tensors that modules use and .to() does not move, wherever they are now. held: tensors of objects that are no
    modules, such as schedulers; code moves those when it uses them, so they are no leaks. offloaded: some modules are moved by
    hooks while they run, and their resting place says nothing.
    """

    entries: tuple[TensorEntry, ...]
    expected: str
    offloaded: bool
    lang: str = "en"

    @property
    def leaks(self) -> tuple[TensorEntry, ...]:
        wanted = torch.device(self.expected)
        found = [e for e in self.entries if e.kind != "held" and not agrees(torch.device(e.device), wanted)]
        return tuple(sorted(found, key=lambda e: (-e.bytes, e.path)))

    @property
    def unregistered(self) -> tuple[TensorEntry, ...]:
        return tuple(sorted((e for e in self.entries if e.kind != "held" and e.left_behind),
                            key=lambda e: (-e.bytes, e.path)))

    @property
    def held(self) -> tuple[TensorEntry, ...]:
        return tuple(e for e in self.entries if e.kind == "held")

    @property
    def ok(self) -> bool:
        """No tensor of a module is out of place now."""
        return not self.leaks

    def compare(self, before: DeviceAudit) -> Comparison:
        """What happened since `before`, an earlier audit of the same object."""
        old = {e.path: e for e in before.entries}
        new = {e.path: e for e in self.entries}
        return Comparison(
            tuple((old[p], e) for p, e in new.items() if p in old and old[p].device != e.device),
            tuple(e for e in self.leaks if e.path in old and old[e.path].device == e.device),
            tuple(e for p, e in new.items() if p not in old),
            tuple(e for p, e in old.items() if p not in new), self.lang)

    def say(self, lang: Optional[str] = None) -> str:
        """The audit as text: a line for each device, then the leaks and the unregistered tensors, 30 of each at most."""
        lang = lang or self.lang
        sizes: dict[str, list[int]] = {}
        for entry in self.entries:
            sizes.setdefault(entry.device, []).append(entry.bytes)
        lines = [_HEAD.say(lang, expected=self.expected)]
        for device in sorted(sizes):
            lines.append(_DEVICE.say(lang, device=device, count=len(sizes[device]), size=readable_bytes(sum(sizes[device]))))
        lines += _section(_LEAKS, self.leaks, lang) if self.leaks else [_CLEAN.say(lang, expected=self.expected)]
        waiting = [e for e in self.unregistered if e not in self.leaks]
        lines += _section(_WAITING, tuple(waiting), lang) if waiting else []
        if any(e.left_behind for e in self.leaks) or waiting:
            lines.append(_REPAIR.say(lang))
        if self.held:
            lines.append(_HELD.say(lang, count=len(self.held), example=self.held[0].path))
        if self.offloaded:
            lines.append(_OFFLOADED.say(lang))
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.say()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: the fields, and the leaks and unregistered tensors by path."""
        return {**dataclasses.asdict(self), "leaks": [e.path for e in self.leaks],
                "unregistered": [e.path for e in self.unregistered]}


_HEAD = Text("device audit, expected device {expected}", "设备审计，目标设备 {expected}")
_DEVICE = Text("  {device}: tensors {count}, {size}", "  {device}：{count} 个张量，{size}")
_CLEAN = Text("every tensor of the modules is on {expected}", "模块的所有张量都在 {expected} 上")
_LEAKS = Text("tensors elsewhere: {count}, {size} (largest first, at most {shown})",
              "不在目标设备上：{count} 个张量，{size}（按大小排列，最多列出 {shown} 个）")
_WAITING = Text("in place, but left behind by the next .to(): {count}, {size} (at most {shown})",
                "目前位置正确，但下次 .to() 不会带上：{count} 个张量，{size}（最多列出 {shown} 个）")
_REPAIR = Text("unregistered: register_buffer() for tensors, nn.ModuleList or nn.ModuleDict for modules; then .to() moves them",
               "未注册的处理：张量用 register_buffer()，模块用 nn.ModuleList 或 nn.ModuleDict，之后 .to() 就会带上它们")
_HELD = Text("held by objects that are no modules: {count}, such as {example}; code moves these when it uses them",
             "另有 {count} 个张量属于非模块对象（如 {example}），由代码在使用时搬运")
_OFFLOADED = Text("some modules are offloaded by hooks, which move them while they run: their resting place is no leak",
                  "部分模块由钩子做显存卸载，运行时才搬到 GPU：静止时的位置不算泄漏")
_COMPARED = Text("moved {moved}, stayed behind {stayed}, new {appeared}, gone {gone}",
                 "已搬运 {moved} 个，滞留 {stayed} 个，新增 {appeared} 个，消失 {gone} 个")
_STAYED = Text("stayed behind:", "滞留：")
_APPEARED = Text("new:", "新增：")
_GONE = Text("gone:", "消失：")
_KINDS = {"parameter": Text("parameter", "参数"), "buffer": Text("buffer", "缓冲区"),
          "attribute": Text("unregistered attribute", "未注册的属性"), "given": Text("tensor", "张量"),
          "held": Text("held by an object", "普通对象持有")}
_HIDDEN = Text(", module in a plain container", "，所属模块在普通容器里")


def _section(title: Text, entries: tuple[TensorEntry, ...], lang: str) -> list[str]:
    size = readable_bytes(sum(e.bytes for e in entries))
    return [title.say(lang, count=len(entries), size=size, shown=MAX_SHOWN), *_rows(entries, lang)]


def _rows(entries: tuple[TensorEntry, ...], lang: str) -> list[str]:
    rows = []
    for entry in entries[:MAX_SHOWN]:
        kind = _KINDS[entry.kind].say(lang)
        if entry.kind in ("parameter", "buffer") and not entry.registered:
            kind += _HIDDEN.say(lang)
        rows.append(f"  {readable_bytes(entry.bytes):>10}  {entry.device:<7} {entry.path}  "
                    f"({kind}, {entry.dtype} {list(entry.shape)})")
    return rows


def audit_devices(root: Any, expected: Optional[DeviceLike] = None, lang: str = "en") -> DeviceAudit:
    """Looks at every tensor that can be reached from a module, a pipeline or any other object.

    Parameters and buffers, and what .to() does not see: tensors in attributes, lists, dicts, dataclasses and objects, and
    modules in plain containers. Nothing is moved.
    expected: where the modules' tensors should be; "cuda" stands for any GPU. None: where most bytes of parameters and buffers
    are. Audit before and after a move and call after.compare(before).

    Raises ValueError for an unknown `lang`, RuntimeError for a device that PyTorch does not know.
    """
    checked(lang)
    walk = Walk()
    found = list(walk.places(root))
    wanted = torch.device(expected) if expected is not None else _device_of_most(found)
    return DeviceAudit(tuple(_entry(place) for place in found), str(wanted),
                       any(hasattr(module, "_hf_hook") for module in walk.objects), lang)


def _device_of_most(found: list[Place]) -> torch.device:
    sizes: dict[torch.device, int] = {}
    for place in found:
        if place.registered and place.kind in ("parameter", "buffer"):
            sizes[place.tensor.device] = sizes.get(place.tensor.device, 0) + size_bytes(place.tensor)
    return device_with_most(sizes) or (found[0].tensor.device if found else torch.device("cpu"))


def _entry(place: Place) -> TensorEntry:
    tensor = place.tensor
    return TensorEntry(place.path, place.kind, place.registered, str(tensor.device), short_dtype(tensor.dtype),
                       tuple(int(extent) for extent in tensor.shape), size_bytes(tensor))
