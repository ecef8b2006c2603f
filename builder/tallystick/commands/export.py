"""`tallystick export`: boards in the exchange format of every_eval_ever."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from tallystick.command import Command, Console, add_root, present_time


def _arguments(parser: ArgumentParser) -> None:
    add_root(parser)
    parser.add_argument("out", type=Path, metavar="DIR", help="where the records go; existing files are kept")
    parser.add_argument("--benchmark", metavar="ID", help="only this board")
    parser.add_argument("--organization", required=True, metavar="NAME", help="who evaluated")
    parser.add_argument(
        "--relationship", choices=("first_party", "third_party", "collaborative", "other"), default="other",
        help="the evaluator's relationship to the methods' makers",
    )  # fmt: skip


def _run(options: Namespace, console: Console) -> int:
    from tallystick import __version__, pipeline
    from tallystick.errors import Problem, UsageError
    from tallystick.exchange import Origin, exchange
    from tallystick.importing import Plan, apply
    from tallystick.messages import printable

    origin = Origin(options.organization, options.relationship, present_time(), __version__)
    checked = pipeline.check(options.root, present_time(), console.progress)
    chosen = [docket for docket in checked.dockets if options.benchmark in (None, docket.benchmark.id)]
    if not chosen:
        known = ", ".join(docket.benchmark.id for docket in checked.dockets) or "a folder with boards"
        found, remedy = ("another name", "Name one of these.") if checked.dockets else ("none", "Mend --root.")
        where = options.benchmark if checked.dockets else "results"
        raise UsageError([Problem("board-unknown", where, known, found, remedy)])
    files = tuple(file for docket in chosen for file in exchange(pipeline.compute(docket), origin))
    written = apply(Plan(options.out, files, (), (), ()))
    console.say("".join(f"{printable(path)}\n" for path in written))
    if not written:
        console.warn("No report is admitted: nothing was written.\n")
    return 0


COMMAND = Command(
    "export",
    "write boards as every_eval_ever records",
    "Write an aggregate record and a samples file for every admitted method, in the format of every_eval_ever.",
    _arguments,
    _run,
)
