"""Attributes of PyTorch that are replaced for a while."""
from __future__ import annotations

from typing import Any, Callable

_MISSING = object()


class Patches:
    """Replaced attributes, put back in reverse order by undo().

    A name that this PyTorch does not have is passed over, so that one list serves several releases.
    """

    def __init__(self) -> None:
        self._undo: list[tuple[Any, str, Any]] = []

    def set(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Sets owner.name to make(what it was)."""
        old = getattr(owner, name, _MISSING)
        if old is _MISSING:
            return
        own = vars(owner).get(name, _MISSING) if hasattr(owner, "__dict__") else old
        self._undo.append((owner, name, own))
        setattr(owner, name, make(old))

    def undo(self) -> None:
        while self._undo:
            owner, name, own = self._undo.pop()
            if own is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, own)
