"""What `add` and `new` have in common: their arguments, and carrying a plan out."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from tallystick.command import Console, add_root


def arguments(parser: ArgumentParser) -> None:
    """Add the arguments of both."""
    add_root(parser)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="log files, or folders of them")
    parser.add_argument("--benchmark", metavar="ID", help="the benchmark to add to (default: the one the logs name)")
    parser.add_argument("--from", dest="source", metavar="FORMAT", help="the logs' format, where content does not tell")
    parser.add_argument("--method", metavar="ID", help="the method's id (default: made from its name in the log)")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the format; repeatable"
    )
    parser.add_argument(
        "--varies", action="append", default=[], metavar="COMPONENT=REASON",
        help="let a fingerprint component of a new benchmark differ between methods, for this reason",
    )  # fmt: skip
    parser.add_argument(
        "--accept", action="append", default=[], metavar="NAME", help="a known difference that a new benchmark accepts"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be written, and write nothing")


def settled(options: Namespace) -> dict[str, object]:
    """Return the keywords of `importing.add` that the options make."""
    return {
        "benchmark_id": options.benchmark,
        "format_id": options.source,
        "method": options.method,
        "options": _pairs(options.option, "--option"),
        "varies": _pairs(options.varies, "--varies"),
        "accepts": tuple(options.accept),
    }


def carry_out(plan: object, options: Namespace, console: Console) -> int:
    """Say what was understood and write it, unless this is a dry run."""
    from tallystick import importing
    from tallystick.messages import printable

    assert isinstance(plan, importing.Plan)  # kept out of the signature: importing costs time at start-up
    console.say("".join(f"{printable(line)}\n" for line in importing.told(plan).splitlines()))
    if options.dry_run:
        console.say("Nothing was written: this is a dry run.\n")
    else:
        importing.apply(plan)
    return 0


def _pairs(given: list[str], flag: str) -> dict[str, str]:
    from tallystick.errors import Problem, UsageError

    pairs: dict[str, str] = {}
    for item in given:
        name, separator, value = item.partition("=")
        if not separator or not name or not value or name in pairs:
            found = f"{name} twice" if name in pairs else item
            raise UsageError([Problem("option-value", flag, "NAME=VALUE, each name once", found, "Write it so.")])
        pairs[name] = value
    return pairs
