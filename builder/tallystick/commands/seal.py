"""`tallystick seal`: write the seal of a native report."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from tallystick.command import Command, Console


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a native report (JSON)")


def _run(options: Namespace, console: Console) -> int:
    from tallystick.messages import printable
    from tallystick.sealing import seal_file

    seal = seal_file(options.file)
    console.say(f"{seal}  {printable(str(options.file))}\n")
    return 0


COMMAND = Command(
    "seal",
    "write the seal of a native report",
    "Compute the seal of a native report (SHA-256 of its canonical JSON without the seal) and write it into the file.",
    _arguments,
    _run,
)
