"""`tallystick new`: a board from its first logs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from tallystick.command import Command, Console
from tallystick.commands._adding import arguments, carry_out, settled


def _arguments(parser: ArgumentParser) -> None:
    arguments(parser)
    parser.add_argument("--title", default="Leaderboard", help="the site's title, where it has no settings yet")


def _run(options: Namespace, console: Console) -> int:
    from tallystick import importing

    plan = importing.new(options.paths, options.root, title=options.title, **settled(options))
    return carry_out(plan, options, console)


COMMAND = Command(
    "new",
    "make a board from its first logs",
    "Do what `add` does for logs of a benchmark that does not exist yet, and write the site's settings where there are "
    "none.",
    _arguments,
    _run,
)
