"""`tallystick verify`: repeat a frozen table on one's own machine."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tallystick.command import Command, Console

if TYPE_CHECKING:
    from tallystick.board import FrozenTable
    from tallystick.repeat import Repetition


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FROZEN", help="a frozen table (JSON), as downloaded or committed")
    parser.add_argument(
        "--reports", type=Path, default=Path(), metavar="DIR", help="where its reports are (default: below this folder)"
    )
    parser.add_argument("--digest", metavar="SHA256", help="the digest that was cited (default: the file's name)")


def _run(options: Namespace, console: Console) -> int:
    from tempfile import TemporaryDirectory

    from tallystick.messages import printable
    from tallystick.repeat import repeat

    table = _table(options.file, options.digest)
    with TemporaryDirectory(prefix="tallystick-") as workspace:
        outcome = repeat(table, options.reports, Path(workspace), console.progress)
    console.progress("")
    console.say("".join(f"{printable(line)}\n" for line in _lines(table, outcome)))
    return 0 if outcome.repeated else 1


def _table(file: Path, cited: str | None) -> FrozenTable:
    """Return the frozen table in a file; raise Refusal where it is not the one that was cited."""
    from tallystick import frozen
    from tallystick.errors import Problem, Refusal, UsageError

    try:
        content = file.read_bytes()
    except OSError as error:
        found = (error.strerror or type(error).__name__).lower()
        raise UsageError([Problem("file-unusable", str(file), "a frozen table", found, "Name another file.")]) from None
    table = frozen.parse(content, file.name)
    named = re.match(r"[0-9a-f]{64}", file.name)
    expected = cited or (named[0] if named else table.digest)
    if table.digest != expected:
        remedy = "Take it from where it was published: this is not the table that was cited."
        raise Refusal([Problem("frozen-changed", file.name, f"the SHA-256 {expected}", table.digest, remedy)])
    return table


def _lines(table: FrozenTable, outcome: Repetition) -> Iterator[str]:
    from tallystick import __version__
    from tallystick.repeat import SHOWN

    frozen = table.document
    yield f"{table.digest}  {frozen['table']['benchmark']['title']}, frozen on {frozen['frozen']}"
    if frozen["table"]["benchmark"]["diagnostic"]:
        yield f"Diagnostic, no publication evidence: {frozen['table']['benchmark']['diagnostic']}"
    for path, digest in outcome.absent:
        yield f"not found: {path}, SHA-256 {digest}"
    yield from map(str, outcome.problems)
    for place, then, now in outcome.different[:SHOWN]:
        yield f"differs: {place}: frozen {then!r}, repeated {now!r}"
    if len(outcome.different) > SHOWN:
        yield f"and {len(outcome.different) - SHOWN} more differences"
    if outcome.repeated:
        found = f"{outcome.files} files found by digest, {len(frozen['table']['rows'])} methods"
        yield f"Repeated: {found}, {outcome.numbers} numbers equal bit for bit."
    else:
        if len(outcome.absent) == outcome.files:
            yield "Name the folder that holds these files, such as a clone of the board's repository: --reports DIR."
        yield f"Not repeated. Frozen with {frozen['tool']}, repeated with Tallystick {__version__}."


COMMAND = Command(
    "verify",
    "repeat a frozen table from its reports",
    "Find the reports that a frozen table names by their digests, verify them, compute the table again and compare it "
    "bit for bit. Exit status 0: the same; 1: something differs or is missing.",
    _arguments,
    _run,
)
