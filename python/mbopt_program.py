"""The console script `mbopt` of the package: the program in it, which takes this process over. The package mbopt is not imported."""

import os
import pathlib
import sys


def main() -> None:
    program = pathlib.Path(__file__).resolve().parent / "mbopt/bin/mbopt"
    if not program.exists():
        sys.exit(f"mbopt: the package has no program in it: {program} is missing")
    os.execv(program, ["mbopt", *sys.argv[1:]])
