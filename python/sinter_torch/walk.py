"""Every tensor that can be reached from a module, a pipeline or any other object, and the way to it."""
from __future__ import annotations

import collections
import dataclasses
import functools
import logging
import threading
import types
from typing import Any, Iterator, Optional

import torch
from torch import nn

# What a plain torch.nn.Module keeps in its __dict__: registered things and bookkeeping.
_OWN_KEYS = frozenset(nn.Module().__dict__)
# Accelerate keeps the resting weights of an offloaded module here, on another device on purpose.
_OFFLOAD_KEYS = frozenset({"_hf_hook", "_old_forward"})
_CLOSED = (str, bytes, bytearray, int, float, complex, bool, type, types.ModuleType, types.BuiltinFunctionType,
           logging.Logger, threading.Thread, torch.device, torch.dtype, torch.Generator, torch.Size)
# Other mappings may read a file for each item.
_MAPPINGS = (dict, collections.UserDict, types.MappingProxyType)
MAX_OBJECTS = 500_000
MAX_DEPTH = 64


@dataclasses.dataclass(frozen=True)
class Place:
    """A tensor and where it is.

    path: how Python would reach it from the root, such as "unet.mid_block.tables[0]".
    kind: "parameter" and "buffer" are what Module.to() moves; "attribute" is a tensor that a module holds in any other
        way, also inside its lists, dicts and objects; "held" belongs to an object that is no module; "given" stands in a
        container that was passed in.
    registered: Module.to() of the root, or for a pipeline of its modules, moves it.
    owner: the innermost module around it, or None; `attribute` is the owner's attribute that leads to it.
    """

    path: str
    kind: str
    tensor: torch.Tensor
    registered: bool
    owner: Optional[nn.Module]
    owner_path: str
    attribute: str


@dataclasses.dataclass(frozen=True)
class _Step:
    """Where the walk is: what Place says, for everything below."""

    path: str
    kind: str = "given"
    registered: bool = True
    owner: Optional[nn.Module] = None
    owner_path: str = ""
    attribute: str = ""
    depth: int = 0

    def down(self, suffix: str, **changes: Any) -> _Step:
        return dataclasses.replace(self, path=joined(self.path, suffix), depth=self.depth + 1, **changes)


def joined(path: str, suffix: str) -> str:
    """`suffix` is an attribute name or an index in brackets."""
    return f"{path}.{suffix}" if path and not suffix.startswith("[") else path + suffix


class Walk:
    """One walk over an object. Every object is visited once, by its first path; nothing is called or changed.

    places(): the tensors. Afterwards `modules` (path of each module by id), `registered` (ids of the modules that to() of
    the root reaches), `objects` (everything with a __dict__) and `containers` (lists and dicts) hold what was passed.
    """

    def __init__(self) -> None:
        self.modules: dict[int, str] = {}
        self.registered: set[int] = set()
        self.objects: list[Any] = []
        self.containers: list[Any] = []
        self._seen: dict[int, Any] = {}
        self._registered: dict[int, Any] = {}

    def places(self, root: Any, path: str = "") -> Iterator[Place]:
        """Walks `root`, calling it `path`. May be called again for further roots."""
        for module in _modules_at(root):
            self._registered.update((id(x), x) for x in (*module.modules(), *module.parameters(), *module.buffers()))
        yield from self._visit(root, _Step(path))

    def _visit(self, value: Any, step: _Step) -> Iterator[Place]:
        if step.kind == "attribute" and id(value) in self._registered:
            return  # an alias of what is registered elsewhere, which the walk passes there
        if isinstance(value, torch.Tensor):
            if id(value) not in self._seen:
                self._seen[id(value)] = value
                yield Place(step.path, step.kind, value, step.registered, step.owner, step.owner_path, step.attribute)
            return
        if value is None or isinstance(value, _CLOSED) or id(value) in self._seen:
            return
        if len(self._seen) >= MAX_OBJECTS or step.depth >= MAX_DEPTH:
            return
        self._seen[id(value)] = value
        if isinstance(value, nn.Module):
            yield from self._module(value, step)
        elif isinstance(value, _MAPPINGS):
            self.containers.append(value)
            for key, item in list(value.items()):
                yield from self._visit(item, step.down(f"[{key!r}]"))
        elif isinstance(value, (list, tuple, set, frozenset, collections.deque)):
            self.containers.append(value)
            yield from self._sequence(value, step)
        elif isinstance(value, (types.FunctionType, types.MethodType, functools.partial)):
            yield from self._callable(value, step)
        else:
            yield from self._object(value, step)

    def _module(self, module: nn.Module, step: _Step) -> Iterator[Place]:
        self.modules[id(module)] = step.path
        self.objects.append(module)
        # Module.to() does not look into a module's lists and dicts: what is below an attribute stays behind.
        registered = step.registered and step.kind != "attribute"
        if registered:
            self.registered.add(id(module))
        here = dataclasses.replace(step, owner=module, owner_path=step.path, registered=registered)
        for kind, table in (("parameter", module._parameters), ("buffer", module._buffers)):
            for name, tensor in table.items():
                yield from self._visit(tensor, here.down(name, kind=kind, attribute=name))
        for name, child in module._modules.items():
            yield from self._visit(child, here.down(name, kind="parameter"))
        for name, value in list(vars(module).items()):
            if name not in _OWN_KEYS and name not in _OFFLOAD_KEYS:
                yield from self._visit(value, here.down(name, kind="attribute", registered=False, attribute=name))

    def _sequence(self, value: Any, step: _Step) -> Iterator[Place]:
        names = getattr(value, "_fields", None)
        for index, item in enumerate(list(value)):
            yield from self._visit(item, step.down(names[index] if names else f"[{index}]"))

    def _callable(self, value: Any, step: _Step) -> Iterator[Place]:
        """What a function can reach by itself: its object, its closure, its defaults, the globals that it names."""
        if isinstance(value, types.MethodType):
            # A bound method that a module stores is bound to that module or its parent as a rule: same path.
            yield from self._visit(value.__self__, step)
            return
        if isinstance(value, functools.partial):
            for index, item in enumerate(value.args):
                yield from self._visit(item, step.down(f"[{index}]"))
            for name, item in value.keywords.items():
                yield from self._visit(item, step.down(name))
            yield from self._visit(value.func, step)
            return
        if step.kind != "given":
            return
        for name, cell in zip(value.__code__.co_freevars, value.__closure__ or ()):
            try:
                item = cell.cell_contents
            except ValueError:  # a cell that is not filled yet
                continue
            yield from self._visit(item, _Step(name))
        for index, item in enumerate(value.__defaults__ or ()):
            yield from self._visit(item, step.down(f"[default {index}]"))
        for name in _names_in(value.__code__):
            item = value.__globals__.get(name)
            if not isinstance(item, types.FunctionType):
                yield from self._visit(item, _Step(name))
            elif item.__code__.co_filename == value.__code__.co_filename:
                yield from self._visit(item, step)

    def _object(self, value: Any, step: _Step) -> Iterator[Place]:
        attributes = getattr(value, "__dict__", None)
        if isinstance(attributes, dict):
            self.objects.append(value)
            items = list(attributes.items())
        elif dataclasses.is_dataclass(value):  # one with __slots__
            items = [(f.name, getattr(value, f.name, None)) for f in dataclasses.fields(value)]
        else:
            return
        kind = step.kind if step.owner is not None else "held"
        for name, item in items:
            # The modules of a pipeline are moved by its own to(), so they start registered.
            yield from self._visit(item, step.down(name, kind=kind))


def _names_in(code: types.CodeType) -> list[str]:
    """The names that a function looks up outside itself, those of the functions inside it too."""
    inner = [const for const in code.co_consts if isinstance(const, types.CodeType)]
    return list(dict.fromkeys([*code.co_names, *(name for const in inner for name in _names_in(const))]))


def _modules_at(root: Any) -> list[nn.Module]:
    """The modules that `root` is or holds at once, as a pipeline does."""
    if isinstance(root, nn.Module):
        return [root]
    if isinstance(root, _MAPPINGS):
        values = list(root.values())
    elif isinstance(root, (list, tuple)):
        values = list(root)
    else:
        values = list(getattr(root, "__dict__", {}).values())
    return [value for value in values if isinstance(value, nn.Module)]


def places(root: Any, path: str = "") -> list[Place]:
    """Every tensor that can be reached from `root`; see Place and Walk."""
    return list(Walk().places(root, path))
