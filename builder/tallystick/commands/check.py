"""`tallystick check`: verify without building, and say what a pull request would do."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from tallystick.command import Command, Console, add_root, present_time

if TYPE_CHECKING:
    from tallystick.messages import Verdict
    from tallystick.proposal import Proposal


def _arguments(parser: ArgumentParser) -> None:
    add_root(parser)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="only reports at or below these paths")
    parser.add_argument(
        "--base", metavar="REF", help="judge what differs from this commit or branch, as a pull request into it"
    )
    forms = ("text", "markdown", "json", "github", "sarif")
    parser.add_argument("--format", choices=forms, default="text", help="how to say it")
    parser.add_argument("--summary", type=Path, metavar="FILE", help="write what was found to FILE, too, as Markdown")
    parser.add_argument(
        "--known", type=Path, metavar="FILE", help="leave out what stands in FILE, an earlier outcome as JSON"
    )


def _run(options: Namespace, console: Console) -> int:
    from tallystick import messages

    proposal, known = None, 0
    if options.base is not None:
        verdicts, proposal = _proposed(options, console)
    else:
        verdicts, known = _checked(options, console)
    if options.summary:
        messages.write_summary(verdicts, options.summary, proposal, known)
    console.say(messages.FORMATS[options.format](verdicts, proposal, known))
    return messages.exit_status(verdicts, proposal)


def _checked(options: Namespace, console: Console) -> tuple[tuple[Verdict, ...], int]:
    """Return what came of the reports asked for, and of how many more that was known."""
    from tallystick import messages, pipeline

    checked = pipeline.check(options.root, present_time(), console.progress)
    verdicts = messages.below(messages.verdicts(checked), options.root, options.paths)
    fresh = messages.since(verdicts, options.known) if options.known else verdicts
    return fresh, len(verdicts) - len(fresh)


def _proposed(options: Namespace, console: Console) -> tuple[tuple[Verdict, ...], Proposal]:
    from tempfile import TemporaryDirectory

    from tallystick import messages
    from tallystick.errors import Problem, UsageError
    from tallystick.propose import propose

    if options.paths or options.known:
        remedy = "Leave out PATH and --known: what stands at the base already does not count."
        raise UsageError([Problem("base-alone", "--base", "no choice besides", "PATH or --known", remedy)])
    with TemporaryDirectory(prefix="tallystick-") as workspace:
        found = propose(options.root, options.base, present_time(), Path(workspace), console.progress)
    earlier = messages.verdicts(found.base) if found.base else ()
    return messages.beyond(messages.verdicts(found.merged), earlier), found.proposal


COMMAND = Command(
    "check",
    "verify reports without building",
    "Verify reports as a build would, and exit with status 1 if any is refused. With --base, say what a pull request "
    "would change: whether it keeps to the rules (it adds reports and nothing else), what is refused that was not, and "
    "where each added report would stand.",
    _arguments,
    _run,
)
