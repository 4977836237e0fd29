"""The command line: python -m sinter_torch run | repro."""
from __future__ import annotations

import argparse
import os
import sys
from typing import Optional, Sequence

from sinter_torch import __version__
from sinter_torch.language import LANGUAGES
from sinter_torch.repro import write_reproduction
from sinter_torch.run import find_sinter, run_script

USAGE, BAD_INPUT = 2, 3


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sinter_torch", description=__doc__)
    parser.add_argument("--version", action="version", version=f"sinter_torch {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run a script and have its log explained",
                              description="Runs SCRIPT with CUDA_LAUNCH_BLOCKING=1 and TORCH_SHOW_CPP_STACKTRACES=1, keeps its "
                                          "log and pipes it through `sinter diagnose -`. Exit status: the script's.",
                              epilog="example: python -m sinter_torch run --log run.log export.py --half")
    run.add_argument("--sinter", metavar="PROGRAM", help="the program sinter (default: from PATH)")
    run.add_argument("--log", metavar="FILE", default="sinter-torch.log", help="where the log goes (default: %(default)s)")
    run.add_argument("--lang", choices=LANGUAGES, default="en", help="language of the explanation (default: %(default)s)")
    run.add_argument("script", metavar="SCRIPT", help="the script")
    run.add_argument("arguments", metavar="ARGS", nargs=argparse.REMAINDER, help="its arguments")
    repro = commands.add_parser("repro", help="write a script that reproduces this environment",
                                description="Writes a Python script with this environment's versions, devices, variables and "
                                            "seed; run elsewhere, it says what differs.",
                                epilog="example: python -m sinter_torch repro reproduce.py --script failing.py")
    repro.add_argument("output", metavar="FILE", nargs="?", default="reproduce.py", help="(default: %(default)s)")
    repro.add_argument("--script", metavar="SCRIPT", default="", help="the code that fails, to go into it")
    repro.add_argument("--seed", type=int, default=0, help="the seed of every generator (default: %(default)s)")
    return parser


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Exit status: that of the script for run; otherwise 0, 2 for usage, 3 for a file that cannot be read or written."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "repro":
            write_reproduction(options.output, options.seed, options.script)
            print(f"wrote {options.output}")
            return 0
        if not os.path.isfile(options.script):
            print(f"error: there is no file {options.script}", file=sys.stderr)
            return BAD_INPUT
        if options.sinter and find_sinter(options.sinter) is None:
            print(f"error: --sinter {options.sinter} is no program", file=sys.stderr)
            return USAGE
        return run_script(options.script, options.arguments, sinter=options.sinter, log=options.log, lang=options.lang)
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
