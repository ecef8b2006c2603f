"""Sentences that several pages share: the recipe, what verification found, and why no rank is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tallystick import numerals
from tallystick.board import Board, Entry, Link
from tallystick.model import Metric, Reconciliation, Verdict
from tallystick.table import Cell, Column, Row, Table

VERDICTS: tuple[Verdict, ...] = ("exact", "agrees", "differs", "unverified")
VERDICT_MEANING = {
    "exact": "equal bit for bit",
    "agrees": "within 1e-12 of each other",
    "differs": "not what the samples give",
    "unverified": "nothing to recompute it from",
}


ABSTENTION_NOTE = (
    "An abstention is valid but unscored; it is not a verified absence: the method found nothing to say, not that there"
    " is nothing."
)


def said(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Return what these reports must say wherever their scores are shown; what all say alike is said once."""
    entries = tuple(entries)
    pairs = [f"{label}: {value}." for label, value in shared(entries).items()]
    notes = dict.fromkeys(note for entry in entries for note in entry.report.notes)
    return tuple(filter(None, (" ".join(pairs), *notes)))


def shared(entries: Sequence[Entry]) -> dict[str, str]:
    """Return what all of these reports show beside their scores in the same words."""
    every = [entry.report.beside for entry in entries]
    first = every[0] if every else {}
    return {label: value for label, value in first.items() if all(one.get(label) == value for one in every)}


def own_labels(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Return the labels of what these reports show beside their scores in different words."""
    labels = dict.fromkeys(label for entry in entries for label in entry.report.beside)
    return tuple(label for label in labels if label not in shared(entries))


def neighbours(links: Sequence[Link], place: int) -> tuple[Link | None, Link | None]:
    """Return the links before and after one of them."""
    return links[place - 1] if place else None, links[place + 1] if place + 1 < len(links) else None


def direction(metric: Metric) -> str:
    """Say which way is better."""
    return "higher is better" if metric.direction == "higher" else "lower is better"


def level(board: Board) -> str:
    """Write the confidence of a board's intervals, as "95%"."""
    return numerals.level(board.benchmark.bootstrap.confidence)


def recipe(board: Board) -> str:
    """Say in one line how the numbers of a board were computed."""
    bench = board.benchmark
    drawn = f"stratified by {bench.stratum}" if bench.stratum else "unstratified"
    line = (
        f"Intervals: percentile bootstrap, {drawn}, {numerals.count(bench.bootstrap.resamples)} resamples,"
        f" seed {bench.bootstrap.seed}, {level(board)} confidence."
    )
    return f"{line} {board.ranking.sentence}" if ranked(board) and board.ranking is not None else line


def ranked(board: Board) -> bool:
    """Say whether ranks may be shown."""
    return bool(board.standings) and board.benchmark.diagnostic is None


def unranked_reason(board: Board) -> str:
    """Say why no rank is shown, or nothing where ranks are."""
    if board.benchmark.diagnostic is not None:
        return "No rank is shown on a diagnostic board."
    return "" if board.standings else "No rank is shown: ranks need at least two complete reports."


def verdict_counts(entries: Iterable[Entry]) -> Counter[Verdict]:
    """Count stated numbers by how they came out."""
    return Counter(found.verdict for entry in entries for found in entry.reconciliations)


def tally(entries: Iterable[Entry]) -> tuple[tuple[str, str], ...]:
    """Say how the stated numbers came out, as (count, what) pairs; empty where nothing was stated."""
    counts = verdict_counts(entries)
    if not counts:
        return ()
    verbs = {"agrees": "agree", "differs": "differ"}
    said = [
        (numerals.count(counts[verdict]), verbs.get(verdict, verdict))
        for verdict in VERDICTS
        if counts[verdict] or verdict != "unverified"
    ]
    return (numerals.count(sum(counts.values())), "stated numbers"), *said


def stated_tally(entry: Entry) -> Table:
    """Tabulate the stated numbers of a report by group, verdict and the summation rule that matched."""
    counts = Counter((found.group, found.verdict, found.rule) for found in entry.reconciliations)
    order = sorted(counts, key=lambda key: (key[0], VERDICTS.index(key[1]), key[2]))
    return Table(
        id="stated-tally",
        caption="Stated numbers by how they came out",
        columns=(
            Column("group", "Stated in", "header"),
            Column("verdict", "Verdict", "text"),
            Column("meaning", "Meaning", "text"),
            Column("rule", "Summation rule", "text"),
            Column("count", "Numbers"),
        ),
        rows=tuple(
            Row(
                "",
                (
                    Cell(group, group),
                    Cell(verdict, verdict, tone=verdict),
                    Cell(VERDICT_MEANING[verdict]),
                    Cell(rule or numerals.UNDEFINED),
                    Cell(numerals.count(counts[group, verdict, rule]), counts[group, verdict, rule]),
                ),
            )
            for group, verdict, rule in order
        ),
    )


def stated_table(id_: str, caption: str, found: Iterable[Reconciliation]) -> Table:
    """Tabulate stated numbers beside recomputed ones, every digit."""
    return Table(
        id=id_,
        caption=caption,
        columns=(
            Column("where", "Where", "header"),
            Column("stated", "Stated", "code"),
            Column("recomputed", "Recomputed", "code"),
            Column("verdict", "Verdict", "text"),
            Column("rule", "Summation rule", "text"),
        ),
        rows=tuple(
            Row(
                "",
                (
                    Cell(one.where, one.where),
                    Cell(numerals.exact(one.stated) or numerals.UNDEFINED, one.stated),
                    Cell(numerals.exact(one.recomputed) or numerals.UNDEFINED, one.recomputed),
                    Cell(one.verdict, one.verdict, detail=one.note, tone=one.verdict),
                    Cell(one.rule or numerals.UNDEFINED, one.rule),
                ),
            )
            for one in found
        ),
    )
