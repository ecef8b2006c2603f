"""`tallystick check`: verify without building."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from tallystick.command import Command, Console, add_root, present_time


def _arguments(parser: ArgumentParser) -> None:
    add_root(parser)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="only reports at or below these paths")
    forms = ("text", "markdown", "json", "github", "sarif")
    parser.add_argument("--format", choices=forms, default="text", help="how to say it")
    parser.add_argument("--summary", type=Path, metavar="FILE", help="write what was found to FILE, too, as Markdown")
    parser.add_argument(
        "--known", type=Path, metavar="FILE", help="leave out what stands in FILE, an earlier outcome as JSON"
    )


def _run(options: Namespace, console: Console) -> int:
    from tallystick import messages, pipeline

    checked = pipeline.check(options.root, present_time(), console.progress)
    verdicts = messages.below(messages.verdicts(checked), options.root, options.paths)
    if options.known:
        verdicts = messages.since(verdicts, options.known)
    if options.summary:
        messages.write_summary(verdicts, options.summary)
    console.say(messages.FORMATS[options.format](verdicts))
    return messages.exit_status(verdicts)


COMMAND = Command(
    "check",
    "verify reports without building",
    "Verify reports as a build would, and exit with status 1 if any is refused.",
    _arguments,
    _run,
)
