"""How long does `sinter diagnose` take for a log of 100 MB, and how much memory?

Two logs: a long healthy training run with one fault in it, and one of nothing but faults (the project's own cases over and over).

    python bench/diagnose_log.py build/release/bin/sinter

Prints seconds, seconds of processor time and peak resident memory of each; bench/README.md has the last numbers.
"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

BYTES = 100_000_000
FAULT = ('Traceback (most recent call last):\n  File "/app/train.py", line 3, in main\n    loss = unet(x)\n'
         "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu! (when "
         "checking argument for argument weight in method wrapper_CUDA___slow_conv2d_forward)\n")


def healthy(file):
    written = step = 0
    while written < BYTES:
        written += file.write("2024-05-01 10:%02d:%02d,%03d - INFO - __main__ - step %d loss=%.4f lr=1.0e-06 memory=10.2GB epoch %d\n"
                              % (step // 60 % 60, step % 60, step % 1000, step, 0.1 + step % 97 / 1000, step // 1000))
        step += 1
        if step == 300_000:
            written += file.write(FAULT)


def faulty(file):
    cases = pathlib.Path(__file__).parents[1] / "tests/data/diagnose/logs.jsonl"
    logs = [json.loads(line)["log"] + "\n" for line in cases.read_text().splitlines()]
    written = 0
    while written < BYTES:
        for log in logs:
            written += file.write(log)


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        for name, write in (("healthy", healthy), ("faulty", faulty)):
            path = pathlib.Path(folder) / (name + ".log")
            with open(path, "w", newline="") as file:
                write(file)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            begin = time.monotonic()
            subprocess.run([program, "diagnose", str(path), "--json"], stdout=subprocess.DEVNULL)
            seconds = time.monotonic() - begin
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print("%-8s %.2f s, processor %.2f s, %d MiB at most" % (name, seconds, processor, after.ru_maxrss // 1024))


if __name__ == "__main__":
    main()
