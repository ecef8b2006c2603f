"""`tallystick compare`: compare two methods on the terminal."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tallystick.command import Command, Console, add_root, present_time

if TYPE_CHECKING:
    from tallystick.board import Comparison, Docket
    from tallystick.model import Benchmark, Report


def _arguments(parser: ArgumentParser) -> None:
    add_root(parser)
    parser.add_argument("baseline", metavar="A", help="the method that is subtracted")
    parser.add_argument("candidate", metavar="B", help="the method that it is subtracted from")
    parser.add_argument("--benchmark", metavar="ID", help="the board, where the two meet on several")


def _run(options: Namespace, console: Console) -> int:
    from tallystick import compare, pipeline

    checked = pipeline.check(options.root, present_time(), console.progress)
    benchmark, pair = _meeting(checked.dockets, options.baseline, options.candidate, options.benchmark)
    console.say(_table(compare.compare_pairs([pair], benchmark), benchmark))
    return 0


def _meeting(
    dockets: Iterable[Docket], baseline: str, candidate: str, chosen: str | None
) -> tuple[Benchmark, tuple[Report, Report]]:
    """Return the one board that both methods are admitted to, and their reports."""
    from tallystick.errors import Problem, UsageError

    meetings = []
    seen: dict[str, str] = {}
    for docket in dockets:
        if chosen not in (None, docket.benchmark.id):
            continue
        admitted = {item.report.method.id: item.report for item in docket.judgements if item.outcome == "admitted"}
        seen |= {item.report.method.id: f"{item.outcome} on {docket.benchmark.id}" for item in docket.judgements}
        if baseline in admitted and candidate in admitted:
            meetings.append((docket.benchmark, (admitted[baseline], admitted[candidate])))
    if len(meetings) == 1:
        return meetings[0]
    if meetings:
        found = ", ".join(benchmark.id for benchmark, _ in meetings)
        remedy = "Name one with --benchmark."
        raise UsageError([Problem("board-ambiguous", f"{baseline} {candidate}", "one common board", found, remedy)])
    states = "; ".join(f"{name}: {seen.get(name, 'unknown')}" for name in (baseline, candidate))
    remedy = "Name two methods that one board admits; `tallystick check` lists them."
    raise UsageError(
        [Problem("no-common-board", f"{baseline} {candidate}", "a board that admits both", states, remedy)]
    )


def _table(comparisons: Sequence[Comparison], benchmark: Benchmark) -> str:
    """Return an aligned table: a line for each metric."""
    from tallystick import numerals
    from tallystick.messages import printable

    percent = numerals.level(benchmark.bootstrap.confidence)
    header = ("metric", "difference", f"{percent} interval", "B better", "pairs", "A only / B only", "exact p")
    rows = [header]
    for item in comparisons:
        ends = numerals.UNDEFINED
        if item.interval is not None:
            ends = numerals.signed_interval(item.interval.lower, item.interval.upper, numerals.PLAIN_DECIMALS)
        test = item.test
        rows.append(
            (
                printable(item.metric),
                numerals.signed(item.difference, numerals.PLAIN_DECIMALS),
                ends,
                numerals.percentage(item.probability),
                numerals.of(item.pairs, len(benchmark.samples.ids)),
                f"{test.baseline_only} / {test.candidate_only}" if test else "",
                numerals.p_value(test.p) if test else "",
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    names = f"{printable(comparisons[0].baseline)} (A) against {printable(comparisons[0].candidate)} (B)"
    recipe = (
        f"B − A on common samples; paired bootstrap, {benchmark.bootstrap.resamples} resamples, seed "
        f"{benchmark.bootstrap.seed}; B better: share of resamples; exact two-sided McNemar test."
    )
    return "\n".join([f"{names} on {printable(benchmark.title)}", "", *lines, "", recipe, ""])


COMMAND = Command(
    "compare",
    "compare two methods on the terminal",
    "Compare B with A, sample by sample, on every metric of the board that admits both.",
    _arguments,
    _run,
)
