"""What PyTorch's CUDA allocator holds, in words."""
from __future__ import annotations

import dataclasses
from typing import Any, Mapping, Optional

import torch

from sinter_torch.devices import DeviceLike, readable_bytes
from sinter_torch.language import Text, checked

_CUSHION = 256 << 20  # reserved memory that is no reason to speak of fragmentation, in bytes


@dataclasses.dataclass(frozen=True)
class MemoryReport:
    """The state of one GPU's memory, in bytes; available is False where there is no GPU, and all else is zero then.

    allocated: in tensors. reserved: taken from the driver by this process's allocator. split: free pieces of blocks that are
    partly in use, which cannot be given back. peak_*: the highest values since the start or the last reset. elsewhere: used on
    the device and not reserved here: other processes, the CUDA context, TensorRT, ONNX Runtime.
    """

    available: bool
    device: str = ""
    name: str = ""
    total: int = 0
    free: int = 0
    allocated: int = 0
    reserved: int = 0
    split: int = 0
    peak_allocated: int = 0
    peak_reserved: int = 0
    retries: int = 0
    out_of_memory: int = 0
    lang: str = "en"

    @property
    def elsewhere(self) -> int:
        return max(0, self.total - self.free - self.reserved) if self.total else 0

    @property
    def fragmented(self) -> bool:
        """A good part of what is reserved lies in pieces between living tensors."""
        return self.split > _CUSHION and self.split * 4 > self.reserved

    def say(self, lang: Optional[str] = None) -> str:
        """The numbers, then what they mean."""
        lang = lang or self.lang
        if not self.available:
            return _NONE.say(lang)
        size = {name: readable_bytes(getattr(self, name)) for name in (
            "total", "free", "allocated", "reserved", "split", "peak_allocated", "peak_reserved", "elsewhere")}
        cache = readable_bytes(max(0, self.reserved - self.allocated))
        lines = [_HEAD.say(lang, device=self.device, name=self.name, **size),
                 _NOW.say(lang, cache=cache, **size), _PEAK.say(lang, **size)]
        lines += [text.say(lang, cache=cache, retries=self.retries, count=self.out_of_memory, **size)
                  for text in self._verdicts()]
        return "\n".join(lines)

    def _verdicts(self) -> list[Text]:
        found = []
        if self.out_of_memory:
            found.append(_FAILED)
        if self.fragmented:
            found.append(_FRAGMENTED)
        elif self.reserved - self.allocated > max(_CUSHION, self.allocated):
            found.append(_CACHED)
        if self.retries:
            found.append(_RETRIED)
        if self.total and self.elsewhere * 4 > self.total:
            found.append(_ELSEWHERE)
        if self.total and self.peak_allocated * 10 > self.total * 9:
            found.append(_FULL)
        return found or [_FINE]

    def __str__(self) -> str:
        return self.say()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {**dataclasses.asdict(self), "elsewhere": self.elsewhere, "fragmented": self.fragmented}


_NONE = Text("PyTorch sees no CUDA GPU here, so there is no GPU memory to report (torch.cuda.is_available() is False)",
             "PyTorch 在这台机器上没有找到 CUDA GPU，没有显存可报告（torch.cuda.is_available() 为 False）")
_HEAD = Text("{device} ({name}): {total} in all, {free} free", "{device}（{name}）：显存共 {total}，空闲 {free}")
_NOW = Text("  in tensors {allocated}; reserved from the driver {reserved}, of that kept for reuse {cache}; "
            "used outside this allocator {elsewhere}",
            "  张量占用 {allocated}；向驱动申请 {reserved}，其中缓存待复用 {cache}；本进程分配器之外占用 {elsewhere}")
_PEAK = Text("  peak: in tensors {peak_allocated}, reserved {peak_reserved}",
             "  峰值：张量占用 {peak_allocated}，向驱动申请 {peak_reserved}")
_FAILED = Text("allocations that failed for want of memory: {count}; lower the resolution or the batch, use float16, tile the VAE",
               "因显存不足而失败的分配：{count} 次；可降低分辨率或批量、改用 float16、让 VAE 分块解码")
_FRAGMENTED = Text("fragmented: {split} lie in pieces between living tensors; set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True "
                   "before the start (on Windows max_split_size_mb:128)",
                   "显存碎片化：{split} 夹在仍在使用的张量之间；启动前设置 "
                   "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True（Windows 上用 max_split_size_mb:128）")
_CACHED = Text("{cache} are only kept for reuse; torch.cuda.empty_cache() gives them to other programs such as TensorRT",
               "{cache} 只是缓存；torch.cuda.empty_cache() 可以归还给 TensorRT 等其他程序")
_RETRIED = Text("the allocator had to empty its cache {retries} times to go on: the run is near the limit, and slower for it",
                "分配器为了继续运行清空过 {retries} 次缓存：已接近显存上限，速度也会变慢")
_ELSEWHERE = Text("{elsewhere} are used outside of PyTorch's allocator: another process (nvidia-smi shows it), TensorRT or "
                  "ONNX Runtime in this one",
                  "{elsewhere} 不是由 PyTorch 分配器占用：可能是其他进程（用 nvidia-smi 查看），或本进程里的 TensorRT、ONNX Runtime")
_FULL = Text("the peak came within a tenth of the whole memory: a slightly larger picture will not fit",
             "峰值已超过总显存的九成：再大一点的图就放不下了")
_FINE = Text("nothing unusual", "没有异常")


def memory_report(device: Optional[DeviceLike] = None, lang: str = "en") -> MemoryReport:
    """The allocator's statistics of `device` (None: the current GPU); says so where there is no GPU, and does not fail.

    Raises ValueError for an unknown `lang` or a device that is not a CUDA one.
    """
    checked(lang)
    if device is not None and torch.device(device).type != "cuda":
        raise ValueError(f"memory_report reads the CUDA allocator, and {device} is no CUDA device")
    if not torch.cuda.is_available():
        return MemoryReport(False, lang=lang)
    index = torch.device(device).index if device is not None else None
    index = torch.cuda.current_device() if index is None else index
    free, total = torch.cuda.mem_get_info(index)
    return from_stats(torch.cuda.memory_stats(index), f"cuda:{index}", torch.cuda.get_device_name(index), total, free, lang)


def from_stats(stats: Mapping[str, int], device: str, name: str, total: int, free: int, lang: str = "en") -> MemoryReport:
    """A report of what torch.cuda.memory_stats() said; keys that a release does not have count as zero."""
    return MemoryReport(
        True, device, name, total, free, stats.get("allocated_bytes.all.current", 0),
        stats.get("reserved_bytes.all.current", 0), stats.get("inactive_split_bytes.all.current", 0),
        stats.get("allocated_bytes.all.peak", 0), stats.get("reserved_bytes.all.peak", 0),
        stats.get("num_alloc_retries", 0), stats.get("num_ooms", 0), lang)
