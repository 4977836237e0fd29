"""A list of checks, each with its outcome, what was seen and what to do."""
from __future__ import annotations

import dataclasses
from typing import Any, Optional

from sinter_torch.language import Text

OK, FIXABLE, WARNING, FAILURE = "ok", "fixable", "warning", "failure"


@dataclasses.dataclass(frozen=True)
class Check:
    """One check. state: "ok"; "fixable" (safe_export puts it right for the export and back afterwards); "warning" (the
    export works, the result may surprise); "failure" (the export fails or its result is wrong).

    text: what was seen, with the fields `facts`. repair: what to do, or None.
    """

    name: str
    state: str
    text: Text
    repair: Optional[Text] = None
    facts: dict[str, Any] = dataclasses.field(default_factory=dict)

    def label(self, lang: str) -> str:
        """The name for people; `name` is the same in every language."""
        return _LABELS.get(self.name, self.name) if lang == "zh" else self.name

    def say(self, lang: str = "en") -> str:
        mark = _MARKS[self.state].say(lang)
        line = f"{mark} {self.label(lang)}: {self.text.say(lang, **self.facts)}"
        return line + (_REPAIR.say(lang, repair=self.repair.say(lang, **self.facts)) if self.repair else "")

    def __str__(self) -> str:
        return self.say()

    def to_dict(self, lang: str = "en") -> dict[str, str]:
        """Plain data for JSON: name, state, text, repair ("" for none)."""
        return {"name": self.name, "state": self.state, "text": self.text.say(lang, **self.facts),
                "repair": self.repair.say(lang, **self.facts) if self.repair else ""}


_MARKS = {OK: Text("[ok]     ", "[通过]  "), FIXABLE: Text("[fixable]", "[可修复]"), WARNING: Text("[warning]", "[警告]  "),
          FAILURE: Text("[failure]", "[失败]  ")}
_LABELS = {
    "plain module": "模块未被包装", "eval mode": "推理模式", "no gradients": "不记录梯度", "gradient checkpointing": "梯度检查点",
    "one device": "设备统一", "registered tensors": "张量已注册", "inputs on the device": "输入设备", "one dtype": "精度一致",
    "input dtypes": "输入精度", "half on the CPU": "CPU 半精度", "default device and dtype": "默认设备与精度", "autocast": "autocast",
    "input names": "输入名", "dynamic axes": "动态维度", "opset": "opset", "sizes": "尺寸", "file": "输出文件", "packages": "依赖包",
}
_REPAIR = Text(" -> {repair}", " -> {repair}")
_SUMMARY = Text("checks: {total}, failures: {failures}, put right by safe_export: {fixable}, warnings: {warnings}",
                "共 {total} 项检查：失败 {failures} 项，safe_export 可自动处理 {fixable} 项，警告 {warnings} 项")


@dataclasses.dataclass(frozen=True)
class Checklist:
    """Checks in the order they were made."""

    checks: tuple[Check, ...]
    lang: str = "en"

    def of(self, *states: str) -> tuple[Check, ...]:
        """The checks in one of these states."""
        return tuple(check for check in self.checks if check.state in states)

    def __getitem__(self, name: str) -> Check:
        """The check of that name; raises KeyError where there is none."""
        for check in self.checks:
            if check.name == name:
                return check
        raise KeyError(name)

    @property
    def ok(self) -> bool:
        """Nothing fails; what is fixable needs safe_export or the hand."""
        return not self.of(FAILURE)

    def say(self, lang: Optional[str] = None) -> str:
        """A summary and a line for each check."""
        lang = lang or self.lang
        head = _SUMMARY.say(lang, total=len(self.checks), failures=len(self.of(FAILURE)), fixable=len(self.of(FIXABLE)),
                            warnings=len(self.of(WARNING)))
        return "\n".join([head, *(check.say(lang) for check in self.checks)])

    def __str__(self) -> str:
        return self.say()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"ok": self.ok, "checks": [check.to_dict(self.lang) for check in self.checks]}
