"""Runs a script so that its errors point at their cause, and has its log explained."""
from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from typing import IO, Any, BinaryIO, Iterator, Mapping, Optional, Sequence

from sinter_torch.language import Text

# With the first, a CUDA error is raised by the call that made it, not by a later one; with the second, errors carry the C++
# stack, whose function names tell the operator.
SETTINGS = {"CUDA_LAUNCH_BLOCKING": "1", "TORCH_SHOW_CPP_STACKTRACES": "1"}
_NO_SINTER = Text("sinter_torch: the program sinter is not in PATH; name it with --sinter. The log is in {log}",
                  "sinter_torch：PATH 中没有 sinter，请用 --sinter 指定。日志在 {log}")
_LOG = Text("sinter_torch: exit status {status}, log in {log}", "sinter_torch：退出码 {status}，日志在 {log}")


def find_sinter(named: Optional[str]) -> Optional[str]:
    """The program sinter: the one named, else the one in PATH, else None."""
    return shutil.which(named) if named else shutil.which("sinter")


class _Log:
    """The log file. Lines of the two streams are not torn: a piece waits here until its line ends."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._waiting: dict[int, bytes] = {}

    def write(self, stream: int, data: bytes, last: bool = False) -> None:
        data = self._waiting.pop(stream, b"") + data
        end = len(data) if last else max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        if end < len(data):
            self._waiting[stream] = data[end:]
        if last and data and not data.endswith(b"\n"):
            data, end = data + b"\n", end + 1
        with self._lock:
            self._file.write(data[:end])
            self._file.flush()


def _copy(source: IO[bytes], target: BinaryIO, log: _Log, stream: int) -> None:
    while True:
        data = os.read(source.fileno(), 65536)
        with contextlib.suppress(OSError, ValueError):  # a closed terminal must not stop the script or the log
            target.write(data)
            target.flush()
        log.write(stream, data, last=not data)
        if not data:
            return


def run_and_log(command: Sequence[str], log_path: str, environment: Mapping[str, str]) -> int:
    """Runs a command; its output goes where it would go, and into a file as well. Returns its exit status, 128 + n where
    signal n ended it. An interrupt reaches the command, and this waits for its end.

    Raises OSError when the command cannot be started or the log cannot be written.
    """
    with open(log_path, "wb") as file:
        log = _Log(file)
        child = subprocess.Popen(list(command), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(environment))
        assert child.stdout is not None and child.stderr is not None
        with _interrupts_left_to(child):
            copies = [threading.Thread(target=_copy, args=(source, target, log, number)) for number, (source, target) in
                      enumerate(((child.stdout, sys.stdout.buffer), (child.stderr, sys.stderr.buffer)))]
            for copy in copies:
                copy.start()
            for copy in copies:
                copy.join()
            status = child.wait()
    return status if status >= 0 else 128 - status


@contextlib.contextmanager
def _interrupts_left_to(child: subprocess.Popen[bytes]) -> Iterator[None]:
    """A terminal's interrupt goes to the child too, so this process only stays; other signals to end are passed on."""

    def pass_on(number: int, frame: Any) -> None:
        with contextlib.suppress(OSError):
            child.send_signal(number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    old = {signal.SIGINT: signal.signal(signal.SIGINT, signal.SIG_IGN), signal.SIGTERM: signal.signal(signal.SIGTERM, pass_on)}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def diagnose(sinter: str, log_path: str, lang: str) -> None:
    """Prints on standard error what `sinter diagnose -` says of a log; its exit status is no concern here."""
    command = [sinter, "diagnose", "-"] + (["--lang", lang] if lang != "en" else [])
    with open(log_path, "rb") as log:
        subprocess.run(command, stdin=log, stdout=sys.stderr.fileno(), check=False)


def run_script(script: str, arguments: Sequence[str], *, sinter: Optional[str] = None, log: str = "sinter-torch.log",
               lang: str = "en") -> int:
    """Runs `python script arguments...` with SETTINGS, keeps its log, and has `sinter diagnose` explain it.

    sinter: the program; None: from PATH. Without
    it the log is kept and a line says so. A setting that the environment has already stays as it is.
    Returns the script's exit status. Raises OSError as run_and_log() does.
    """
    environment = {**SETTINGS, **os.environ}
    status = run_and_log([sys.executable, "-u", script, *arguments], log, environment)
    print(_LOG.say(lang, status=status, log=log), file=sys.stderr, flush=True)
    program = find_sinter(sinter)
    if program is None:
        print(_NO_SINTER.say(lang, log=log), file=sys.stderr, flush=True)
    else:
        diagnose(program, log, lang)
    return status
