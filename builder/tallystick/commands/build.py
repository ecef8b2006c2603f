"""`tallystick build`: verify every report and write the site."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from tallystick.command import Command, Console, add_root, present_time


def _arguments(parser: ArgumentParser) -> None:
    add_root(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the site goes (default: ROOT/site)")
    parser.add_argument("--strict", action="store_true", help="exit with status 1 if a report was refused")
    parser.add_argument("--json", action="store_true", help="say what was found as JSON")


def _run(options: Namespace, console: Console) -> int:
    from tallystick import messages, pipeline

    out = options.out or options.root / "site"
    built = pipeline.build(options.root, out, present_time(), console.progress)
    verdicts = messages.verdicts(built.dockets)
    console.say(messages.FORMATS["json" if options.json else "text"](verdicts))
    if not options.json:
        console.say(f"{built.files} files in {messages.printable(str(out))}, {len(built.changed)} changed\n")
    return 1 if options.strict and any(verdict.outcome == "refused" for verdict in verdicts) else 0


COMMAND = Command(
    "build",
    "verify every report and write the site",
    "Verify every report below ROOT/results, recompute every number, and write the site. Refused reports stand on the "
    "audit pages with their reasons and never stop the others.",
    _arguments,
    _run,
)
