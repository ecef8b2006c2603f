"""What a ranking can and cannot say: its leader, what the benchmark can tell apart, and its records over time."""

from __future__ import annotations

from datetime import UTC

from tallystick import numerals
from tallystick.board import Board, Leader, RecordStep, Resolution
from tallystick.pages._comparisons import title
from tallystick.pages._estimates import places
from tallystick.pages._frame import method_path
from tallystick.pages._plots import Moment
from tallystick.pages._plots import over_time as drawn_over_time
from tallystick.pages._words import ranked
from tallystick.table import Cell, Column, Figure, Row, Table

NAMED = 5
"""Possible bests up to which each is named."""


def resolution(board: Board) -> tuple[str, ...]:
    """Say in sentences how far the top value and small differences can be trusted; empty where nothing is ranked."""
    ranking = board.ranking
    if ranking is None or not ranked(board):
        return ()
    said = []
    if ranking.leader is not None:
        said.append(_leader(board, ranking.leader))
    if ranking.resolution is not None:
        said.append(_resolution(ranking.resolution))
    said.append(_bests(board))
    return tuple(filter(None, said))


def _bests(board: Board) -> str:
    """Say how many methods may be the best; name them where they are few."""
    names = [title(board, method) for method, standing in board.standings.items() if standing.best]
    if len(names) < 2:
        return f"No other method may be the best: {names[0]} is told apart from all." if names else ""
    if len(names) > NAMED:
        return (
            f"{numerals.count(len(names))} methods may each be the best: no other is told to be better than they are."
        )
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{listed} may each be the best: no other is told to be better than they are."


def _decimals(board: Board) -> int:
    return places(entry.estimates.get(board.benchmark.primary) for entry in board.entries if entry.complete)


def _leader(board: Board, leader: Leader) -> str:
    names = [title(board, method) for method in leader.methods]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    decimals = _decimals(board)
    top, adjusted = numerals.number(leader.value, decimals), numerals.number(leader.adjusted, decimals)
    said = f"The top value, {top} ({listed}), was picked for being the best."
    if top == adjusted:
        return f"{said} Picking flatters, but here by less than these decimals show."
    return f"{said} Picking flatters; without that optimism it is about {adjusted}."


def _resolution(found: Resolution) -> str:
    text = (
        f"Between neighbouring methods, {numerals.count(found.samples)} samples tell a difference of"
        f" {_two_digits(found.difference)} apart with {numerals.level(found.power)} power at"
        f" {numerals.level(found.confidence)} confidence."
    )
    if found.gap is None or found.needed is None:
        return text
    return (
        f"{text} A difference of {numerals.bound(found.gap)} would take about {numerals.count(found.needed)} samples."
    )


def _two_digits(value: float) -> str:
    return numerals.number(value, numerals.decimals((value / 10,)))


def records_table(board: Board) -> Table | None:
    """Tabulate the days on which the top was replaced, each tested; None without a second step."""
    ranking = board.ranking
    if ranking is None or not ranked(board) or len(ranking.records) < 2:
        return None
    metric, decimals = board.benchmark.metric(ranking.metric), _decimals(board)
    columns = (
        Column("day", "Day", "header"),
        Column("methods", "New top", "text"),
        Column("value", metric.title),
        Column("gain", "Gain"),
        Column("p", "p, Holm"),
        Column("real", "Told apart from the one before", "text"),
    )
    rows = tuple(Row("", _record(board, step, decimals)) for step in ranking.records)
    notes = [f"Each new top is tested against the one it replaced: {ranking.test}, adjusted over all steps by Holm."]
    if ranking.undated:
        notes.append(f"{numerals.count(len(ranking.undated))} reports do not say when they finished and are left out.")
    return Table("records", "The top value over time", columns, rows, tuple(notes))


def _record(board: Board, step: RecordStep, decimals: int) -> tuple[Cell, ...]:
    first = Cell(numerals.UNDEFINED, note="the first report has nothing before it")
    return (
        Cell(step.day.isoformat(), step.day.isoformat()),
        Cell(
            ", ".join(title(board, method) for method in step.methods),
            href=method_path(board, step.methods[0]) if len(step.methods) == 1 else None,
        ),
        Cell(numerals.number(step.value, decimals), step.value),
        first if step.gain is None else Cell(numerals.signed(step.gain, decimals), step.gain),
        first if step.holm is None else Cell(numerals.p_value(step.holm), step.holm),
        first if step.real is None else Cell("yes" if step.real else "no"),
    )


def over_time(board: Board) -> Figure | None:
    """Draw every ranked method's value on the day it finished, the tops joined; None where no top was replaced."""
    ranking = board.ranking
    if ranking is None or not ranked(board) or len(ranking.records) < 2:
        return None
    metric = board.benchmark.metric(ranking.metric)
    tops = {method for step in ranking.records for method in step.methods}
    moments = [
        Moment(step.day, step.value, ", ".join(title(board, method) for method in step.methods), step.real is not False)
        for step in ranking.records
    ]
    for entry in board.entries:
        value, finished = entry.estimates[metric.id].value, entry.report.run.finished
        if entry.method in ranking.standings and entry.method not in tops and value is not None and finished:
            moments.append(Moment(finished.astimezone(UTC).date(), value))
    return drawn_over_time(
        "over-time",
        f"{metric.title} on {board.benchmark.title}, by the day of the run",
        "The line follows the top value. A filled mark: told apart from the top before it; an open one: not. Small"
        " marks: all other methods.",
        moments,
    )
