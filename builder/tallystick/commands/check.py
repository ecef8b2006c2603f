"""`tallystick check`: verify without building."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from tallystick.command import Command, Console, add_root, present_time


def _arguments(parser: ArgumentParser) -> None:
    add_root(parser)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="only reports at or below these paths")
    parser.add_argument("--format", choices=("text", "json", "github", "sarif"), default="text", help="how to say it")


def _run(options: Namespace, console: Console) -> int:
    from tallystick import messages, pipeline

    dockets = pipeline.check(options.root, present_time(), console.progress)
    verdicts = messages.below(messages.verdicts(dockets), options.root, options.paths)
    console.say(messages.FORMATS[options.format](verdicts))
    return 1 if any(verdict.outcome == "refused" for verdict in verdicts) else 0


COMMAND = Command(
    "check",
    "verify reports without building",
    "Verify reports as a build would, and exit with status 1 if any is refused.",
    _arguments,
    _run,
)
