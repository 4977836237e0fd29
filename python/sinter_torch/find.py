"""Every device and dtype mismatch of a run, found in one pass on fake tensors, without a GPU."""
from __future__ import annotations

import contextlib
import dataclasses
import inspect
import traceback
from typing import Any, Callable, Iterator, Optional

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_map_only

from sinter_torch import origins
from sinter_torch.devices import DeviceLike, short_dtype
from sinter_torch.fake import gpu, stand_ins
from sinter_torch.fake.mode import FakeWatch
from sinter_torch.fake.stage import Stage
from sinter_torch.language import Text, checked
from sinter_torch.mismatch import Mismatch, TensorFacts
from sinter_torch.patches import Patches
from sinter_torch.settings import restored_settings
from sinter_torch.walk import Walk
from sinter_torch.watch import CompositeWatch, Names, running_module, variable_name


@dataclasses.dataclass(frozen=True)
class Stop:
    """The exception that ended a run before its end, and the innermost line of the user's code in it."""

    type: str
    text: str
    line: Optional[origins.Line]


@dataclasses.dataclass(frozen=True)
class MismatchReport:
    """What a run on fake tensors showed.

    mismatches: each once per line and birthplace, in the order of their first appearance. stopped: what ended the run
    early, or None; mismatches after that point are not known. guessed: how often the code read values of large tensors;
    they were taken for ones, so another branch is possible. devices: every device that a tensor was on.
    """

    mismatches: tuple[Mismatch, ...]
    stopped: Optional[Stop]
    guessed: int
    devices: tuple[str, ...]
    lang: str = "en"

    @property
    def ok(self) -> bool:
        """Nothing was found and the run came to its end."""
        return not self.mismatches and self.stopped is None

    def by_repair(self) -> list[list[Mismatch]]:
        """The mismatches, those together that one repair puts right."""
        groups: dict[Any, list[Mismatch]] = {}
        for mismatch in self.mismatches:
            groups.setdefault(mismatch.repair, []).append(mismatch)
        return list(groups.values())

    def say(self, lang: Optional[str] = None) -> str:
        """The report as text; in the language of the call that made it unless another is named."""
        lang = lang or self.lang
        groups = self.by_repair()
        head = _SOME if self.mismatches else _NONE
        lines = [head.say(lang, count=len(self.mismatches), repairs=len(groups))]
        for number, (first, *others) in enumerate(groups, 1):
            lines += ["", f"{number}. {first.say(lang)}"]
            lines += [_ALSO.say(lang, place=other.short) for other in others[:_SHOWN]]
            if len(others) > _SHOWN:
                lines.append(_MORE.say(lang, count=len(others) - _SHOWN))
        notes = self.notes(lang)
        return "\n".join(lines + ([""] + notes if notes else []))

    def notes(self, lang: Optional[str] = None) -> list[str]:
        """What limits the answer, one sentence each."""
        lang = lang or self.lang
        notes = []
        if self.stopped is not None:
            line = f" ({self.stopped.line})" if self.stopped.line else ""
            notes.append(_STOPPED.say(lang, type=self.stopped.type, text=self.stopped.text, line=line))
        if self.guessed:
            notes.append(_GUESSED.say(lang, count=self.guessed))
        if self.devices == ("cpu",) and not self.mismatches:
            notes.append(_ONE_DEVICE.say(lang, device=self.devices[0]))
        return notes

    def __str__(self) -> str:
        return self.say()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return dataclasses.asdict(self)


_SHOWN = 5  # further mismatches of one repair that the text names
_ALSO = Text("  also: {place}", "  同样出现在：{place}")
_MORE = Text("  and in {count} more places", "  另有 {count} 处")
_SOME = Text("mismatches: {count}, places to repair: {repairs} (a run on fake tensors: nothing was computed, no GPU was used)",
             "共 {count} 处不一致，需要修改 {repairs} 处（用伪张量试运行：没有真正计算，也没有用到 GPU）")
_NONE = Text("no mismatch (a run on fake tensors: nothing was computed, no GPU was used)",
             "没有发现不一致（用伪张量试运行：没有真正计算，也没有用到 GPU）")
_STOPPED = Text("note: the run ended early with {type}: {text}{line}; what would have come after it is not known",
                "注意：运行提前结束，{type}：{text}{line}；此后的部分未检查")
_GUESSED = Text("note: the code read values that fake tensors do not have (times: {count}); they were taken for ones",
                "注意：代码 {count} 次读取伪张量没有的数值，均按 1 处理")
_TOO_OLD = Text("find_mismatches needs PyTorch 2.10 or later where there is no GPU, and this is {version}; device_guard() and "
                "audit_devices() work with it", "没有 GPU 时 find_mismatches 需要 PyTorch 2.10 及以上，当前是 {version}；"
                "device_guard() 和 audit_devices() 可以使用")
_ONE_DEVICE = Text("note: every tensor was on {device}; to see what a GPU would say, call find_mismatches(..., as_if_on=\"cuda\") "
                   "or move the modules inside the function",
                   "注意：所有张量都在 {device} 上；要模拟在 GPU 上运行，请用 find_mismatches(..., as_if_on=\"cuda\")，"
                   "或在函数内部移动模块")


def find_mismatches(fn: Callable[..., Any], *args: Any, as_if_on: Optional[DeviceLike] = None,
                    inputs_as_if_on: Optional[DeviceLike] = None, lang: str = "en", **kwargs: Any) -> MismatchReport:
    """Runs fn(*args, **kwargs) once on fake tensors and returns every device and dtype mismatch, with birthplaces.

    fn: a module, a pipeline, or any function; it may move modules, sample, or export. Torch's exporters and jit.trace
        call the model once instead of exporting it: that is where a mismatch shows. Nothing is computed, no GPU and no
        memory for tensors is needed, no file is written by PyTorch. "cuda" is there even if it is not: then
        torch.cuda.is_available() says True to code outside PyTorch.
    as_if_on: "cuda" treats every module that fn or the arguments reach as after module.to("cuda"): parameters and buffers
        are there, everything else is where it is. None: modules are where they are.
    inputs_as_if_on: likewise for the tensors in args and kwargs.

    A mismatch is recorded, repaired by moving the tensors out of place, and the run goes on. fn's result is thrown away,
    its exception is not raised but told in the report. Afterwards modules, schedulers and containers that fn reaches are as
    before; what it changes elsewhere stays changed. Random number states and
    PyTorch's defaults are restored. Not thread-safe: parts of torch are
    replaced while it runs.

    Raises ValueError for an unknown `lang`, and RuntimeError where there is no GPU and PyTorch is older than 2.10.
    """
    checked(lang)
    if not gpu.can_pretend():
        raise RuntimeError(_TOO_OLD.say(lang, version=torch.__version__))
    names = _names(fn, args, kwargs)
    stage = Stage(names.walk)
    found: dict[Any, Mismatch] = {}

    def record(mismatch: Mismatch) -> None:
        known = found.get(mismatch.key)
        found[mismatch.key] = mismatch if known is None else dataclasses.replace(known, count=known.count + 1)

    fake = FakeTensorMode(allow_non_fake_inputs=True)
    watch = FakeWatch(names, record, fake)
    stopped = None
    with _stage_set(stage, watch, record):
        target = None if as_if_on is None else torch.device(as_if_on)
        stage.put_on_stage(watch.fake_of, target, _reached(fn, args, kwargs))
        if inputs_as_if_on is not None:
            device = torch.device(inputs_as_if_on)
            args, kwargs = tree_map_only(torch.Tensor, lambda t: watch.fake_of(t, device), (args, kwargs))
        try:
            with fake, watch, CompositeWatch(watch):
                fn(*args, **kwargs)
        except Exception as error:
            stopped = _stop(error)
    return MismatchReport(tuple(found.values()), stopped, watch.guessed, tuple(sorted(map(str, watch.devices))), lang)


origins.OUTERMOST.add(find_mismatches.__code__)


def _names(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Names:
    """What the arguments and everything that fn reaches are called."""
    names = Names()
    names.add(fn)
    for name, value in _bound(fn, args, kwargs):
        names.add_argument(value, name)
    return names


def _bound(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[str, Any]]:
    """The arguments with the names that fn gives them, or "args[0]" where it gives none."""
    callee = fn.forward if isinstance(fn, nn.Module) else fn
    try:
        parameters = [p for p in inspect.signature(callee).parameters.values()
                      if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        parameters = []
    positional = [(parameters[i].name if i < len(parameters) else f"args[{i}]", value) for i, value in enumerate(args)]
    return positional + list(kwargs.items())


def _reached(*roots: Any) -> set[int]:
    """The ids of the modules that .to() of whatever holds them would move; those of plain lists in modules are not."""
    walk = Walk()
    for root in roots:
        for _ in walk.places(root):
            pass
    return {id(module) for module in walk.objects if isinstance(module, nn.Module) and id(module) in walk.registered}


def _without_compiling() -> contextlib.AbstractContextManager[Any]:
    """Compiled modules run as they were written; releases before 2.6 cannot be told."""
    stance = getattr(getattr(torch, "compiler", None), "set_stance", None)
    return stance("force_eager") if stance is not None else contextlib.nullcontext()


def _stop(error: Exception) -> Stop:
    lines = [origins.Line(f.filename, f.lineno or 0, f.name) for f in traceback.extract_tb(error.__traceback__)
             if not origins.is_skipped(f.filename)]
    own = [line for line in lines if not origins.is_installed(line.file)]
    text = str(error).strip().split("\n")[0]
    last = next(reversed(own or lines), None)
    return Stop(type(error).__name__, text, last)


@contextlib.contextmanager
def _stage_set(stage: Stage, watch: FakeWatch, record: Callable[[Mismatch], None]) -> Iterator[None]:
    """Everything that is replaced for a fake run, and put back after it."""

    def off_stage(kind: str, op: str, wanted: str, argument: str, device: str, tensor: torch.Tensor) -> None:
        module, module_class = running_module(watch.names)
        line, user_line = origins.lines_here()
        origin = watch.origins.of(tensor) or watch.first_origin(tensor)
        facts = TensorFacts(argument, device, short_dtype(tensor.dtype), tuple(int(x) for x in tensor.shape),
                            origin.device, variable_name(tensor), origin.derived)
        record(Mismatch(kind, op, module, module_class, line, user_line, (facts,), (0,), wanted))

    def of_generator(op: str, device: torch.device, result: torch.Tensor) -> None:
        off_stage("generator", op, str(result.device), "generator", str(device), result)

    def of_numpy(op: str, tensor: torch.Tensor) -> None:
        off_stage("numpy", op, "cpu", "self", str(tensor.device), tensor)

    patches = Patches()
    state = torch.get_rng_state()
    try:
        gpu.watch_generators(patches, of_generator)
        gpu.pretend_gpu(patches)
        stand_ins.keep_data_assignments(patches, watch)
        stand_ins.name_parameters(patches, watch)
        stand_ins.keep_module_moves(patches, watch)
        stand_ins.read_by_numpy(patches, watch, of_numpy)
        stand_ins.load_and_save(patches, watch)
        stand_ins.open_safetensors(patches, watch)
        stand_ins.call_instead_of_export(patches)
        with restored_settings(), gpu.quiet(), _without_compiling():
            yield
    finally:
        patches.undo()
        stage.restore()
        torch.set_rng_state(state)
