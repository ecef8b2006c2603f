"""`tallystick init`: begin a board repository."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from tallystick.command import Command, Console

NEXT = """\
Next: {go}tallystick build, and open site/index.html
To publish: README.md says what to set on GitHub; {tool}
"""


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the board begins; made where it is absent")
    parser.add_argument("--title", default="Leaderboard", help="the site's name (default: Leaderboard)")
    parser.add_argument("--empty", action="store_true", help="without the example benchmark")
    parser.add_argument(
        "--tool",
        metavar="REQUIREMENT",
        help="the program that workflows install, pinned by commit or hash (default: this one, where that is known)",
    )


def _run(options: Namespace, console: Console) -> int:
    from tallystick.messages import printable
    from tallystick.scaffold import EXAMPLE, Beginning, installed_from, scaffold

    beginning = Beginning(options.title, options.tool or installed_from())
    written = scaffold(options.folder, beginning, () if options.empty else EXAMPLE)
    folder = printable(str(options.folder))
    go = "" if options.folder == Path() else f"cd {folder} && "
    tool = (
        "the workflows install this program." if beginning.tool else "name the program in .github/tool/tallystick.txt."
    )
    console.say(f"{len(written)} files in {folder}\n{NEXT.format(go=go, tool=tool)}")
    return 0


COMMAND = Command(
    "init",
    "begin a board repository",
    "Write a new board into DIR: settings, pages, an example benchmark that was really measured, and workflows that "
    "check pull requests and deploy the site. Nothing that is there already is written over.",
    _arguments,
    _run,
)
