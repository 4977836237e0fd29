"""The two languages of every message."""
from __future__ import annotations

from typing import Any, NamedTuple

LANGUAGES = ("en", "zh")


class Text(NamedTuple):
    """One sentence in both languages, with str.format fields that have the same names in both."""

    english: str
    chinese: str

    def say(self, lang: str, **facts: Any) -> str:
        """The sentence in `lang` with its fields filled in.

        Raises ValueError for a language that is not in LANGUAGES.
        """
        return (self.chinese if checked(lang) == "zh" else self.english).format(**facts)


def checked(lang: str) -> str:
    """`lang` itself; raises ValueError where it is not one of LANGUAGES."""
    if lang not in LANGUAGES:
        raise ValueError(f"lang is {lang!r}, expected one of {', '.join(map(repr, LANGUAGES))}")
    return lang
