"""What a command is: its arguments, and a function that does it and says what came of it through a console."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol


class Console(Protocol):
    """Where a command speaks: `say` for results, on standard output; `progress` and `warn` for people, on the other."""

    def say(self, text: str) -> None:
        """Print a result as it stands."""

    def warn(self, text: str) -> None:
        """Print what a person must see even where results are piped."""

    def progress(self, text: str) -> None:
        """Show what is being done; silent where nobody watches."""


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand. `run(options, console)` returns the exit status: 0 fine, 1 problems in the input."""

    name: str
    summary: str
    description: str
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace, Console], int]


def add_root(parser: ArgumentParser) -> None:
    """Add `--root`, which every command that reads a board repository takes."""
    parser.add_argument(
        "--root", type=Path, default=Path(), metavar="DIR", help="the board repository (default: this folder)"
    )


def present_time() -> datetime:
    """Return the time that bounds finish dates: SOURCE_DATE_EPOCH where it is set, the clock's otherwise."""
    import os

    from tallystick.errors import Problem, UsageError

    stated = os.environ.get("SOURCE_DATE_EPOCH")
    if stated is None:
        return datetime.now(UTC)
    if not (stated.isascii() and stated.isdecimal() and len(stated) < 12):
        expected = "whole seconds since 1970"
        raise UsageError(
            [Problem("source-date-epoch", "SOURCE_DATE_EPOCH", expected, stated, "Set it so, or not at all.")]
        )
    return datetime.fromtimestamp(int(stated), UTC)
