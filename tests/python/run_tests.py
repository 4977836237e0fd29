#!/usr/bin/env python3
"""Runs the tests of the Python package.

    run_tests.py without-torch   importing, run, repro
    run_tests.py with-torch      everything else; needs PyTorch and skips (exit status 77) without it

SINTER_PYTHON names another interpreter, one that has torch.
"""
import importlib.util
import os
import pathlib
import sys
import unittest

SKIP = 77
FOLDER = pathlib.Path(__file__).resolve().parent
WITHOUT_TORCH = ["test_command_line"]


def main():
    wanted = os.environ.pop("SINTER_PYTHON", "")
    if wanted:
        os.execvp(wanted, [wanted, "-B", *sys.argv])
    sys.path[:0] = [str(FOLDER), str(FOLDER.parents[1] / "python")]
    names = WITHOUT_TORCH
    if sys.argv[1:] == ["with-torch"]:
        if importlib.util.find_spec("torch") is None:
            print(f"skipped: {sys.executable} has no package 'torch'; SINTER_PYTHON can name another interpreter")
            return SKIP
        names = sorted(path.stem for path in FOLDER.glob("test_*.py") if path.stem not in WITHOUT_TORCH)
    result = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.loadTestsFromNames(names))
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
