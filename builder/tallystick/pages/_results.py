"""The tables of a board: complete entries with their ranks, incomplete ones apart, and every further metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tallystick import numerals
from tallystick.board import Board, Entry, Estimate
from tallystick.model import Metric, Status
from tallystick.pages import _estimates as cells
from tallystick.pages._figures import Axis, bar, scale
from tallystick.pages._frame import method_path
from tallystick.pages._words import direction, level, own_labels, ranked, recipe, said
from tallystick.table import Cell, Column, Row, Table

RANK_NOTE = "Rank: the range of places that the data allow; in bold where that includes the first."
LETTERS_NOTE = (
    "The letters are simplified: methods that share one may be told apart nevertheless. The ranges are exact."
)
BEST_NOTE = "The dotted line in each bar marks the best value."
CONDITIONAL_NOTE = (
    "Not every sample was scored, so the mean over all samples is undefined: these values speak of scored samples only"
    " and stand in no order with the complete ones."
)


@dataclass(frozen=True, slots=True)
class _Primary:
    """What the columns of the primary metric share: decimals, axis, best value, and the statuses that occur."""

    board: Board
    entries: tuple[Entry, ...]
    metric: Metric
    decimals: int
    axis: Axis | None
    best: float | None
    statuses: tuple[Status, ...]

    @property
    def heading(self) -> str:
        return f"{self.metric.title} ({direction(self.metric)})"

    def columns(self, value: str) -> tuple[Column, ...]:
        name, title = self.metric.id, self.heading
        drawn = scale(self.axis) if self.axis is not None else None
        return (
            Column(name, value, group=title, order=cells.best_first(self.metric)),
            Column(f"{name}-interval", "Interval", "range", group=title, hint=level(self.board)),
            Column(f"{name}-bar", "Drawn", "figure", group=title, axis=drawn),
        )


def _primary(board: Board, entries: tuple[Entry, ...]) -> _Primary:
    metric = board.benchmark.metric(board.benchmark.primary)
    estimates = [entry.estimates.get(metric.id) for entry in entries]
    return _Primary(
        board,
        entries,
        metric,
        cells.places(estimates),
        cells.shared_axis(estimates, metric),
        cells.best(metric, estimates),
        cells.statuses_present(entry.ledger for entry in entries),
    )


def results_table(board: Board, entries: tuple[Entry, ...]) -> Table | None:
    """Tabulate complete entries by the primary metric, with ranks where there are any."""
    if not entries:
        return None
    view = _primary(board, entries)
    columns = (
        Column("rank", "Rank", "range"),
        Column("method", "Method", "header"),
        *view.columns("Value"),
        Column("group", "Group", "range", facet="letters"),
        *cells.count_columns(view.statuses),
        Column("kind", "Kind", "text", facet="value", minor=True),
        *(beside := _beside_columns(board.entries)),
    )
    rows = tuple(
        Row(f"method-{entry.method}", (*_result_cells(view, entry), *_beside_cells(entry, beside))) for entry in entries
    )
    reading = [RANK_NOTE] if ranked(board) else []
    if ranked(board) and board.ranking is not None and not board.ranking.exact_letters:
        reading.append(LETTERS_NOTE)
    if view.best is not None and len(entries) > 1:
        reading.append(BEST_NOTE)
    notes = (" ".join((*reading, *cells.absent_statuses(view.statuses))), *said(board.entries), recipe(board))
    table = Table("results", f"Complete reports by {view.metric.title}", columns, rows, tuple(filter(None, notes)))
    return table.without(_needless(board, entries))


def incomplete_table(board: Board, entries: tuple[Entry, ...]) -> Table | None:
    """Tabulate incomplete entries: conditional means with their count and with worst and best case."""
    if not entries:
        return None
    view = _primary(board, entries)
    columns = (
        Column("method", "Method", "header"),
        *view.columns("Over scored samples"),
        Column("bounds", "Worst to best case", "range", group=view.heading),
        *cells.count_columns(view.statuses),
        Column("kind", "Kind", "text", facet="value", minor=True),
        *(beside := _beside_columns(board.entries)),
    )
    rows = tuple(
        Row(f"method-{entry.method}", (*_incomplete_cells(view, entry), *_beside_cells(entry, beside)))
        for entry in entries
    )
    above = any(entry.complete for entry in board.entries)  # whose table says it already
    table = Table(
        "incomplete",
        f"Incomplete reports, {view.metric.title}",
        columns,
        rows,
        (CONDITIONAL_NOTE, f"{cells.BOUNDS_NOTE} The pale line draws them.", *(() if above else said(board.entries))),
    )
    return table.without(_needless(board, entries))


def further_table(board: Board, entries: Sequence[Entry], id_: str, caption: str) -> Table | None:
    """Tabulate the metrics other than the primary one: value, interval and, where it is not all, the count."""
    others = [metric for metric in board.benchmark.metrics if metric.id != board.benchmark.primary]
    found = {metric.id: [entry.estimates.get(metric.id) for entry in entries] for metric in others}
    defined = {name for name, ones in found.items() if any(one is not None and one.value is not None for one in ones)}
    shown = [metric for metric in others if metric.id in defined]
    if not shown:
        return None
    decimals = {name: cells.places(ones) for name, ones in found.items()}

    def row(entry: Entry) -> Row:
        full = (cells.full_cell(entry.estimates.get(m.id), decimals[m.id], entry.ledger.total) for m in shown)
        return Row("", (_name(board, entry), *full))

    columns = (Column("method", "Method", "header"), *map(cells.metric_column, shown))
    absent = [metric.title for metric in others if metric.id not in defined]
    notes = [f"No report here has a value of {', '.join(absent)}."] if absent else []
    if any(one is not None and one.bounds is not None for name in defined for one in found[name]):
        notes.append(cells.BOUNDS_NOTE)
    return Table(id_, caption, columns, tuple(map(row, entries)), tuple(notes))


def _needless(board: Board, entries: Sequence[Entry]) -> set[str]:
    """Return the columns that would say nothing."""
    needless = set() if ranked(board) else {"rank", "group"}
    return needless if any(entry.report.method.kind for entry in entries) else needless | {"kind"}


def _name(board: Board, entry: Entry) -> Cell:
    return Cell(entry.report.method.title, entry.method, href=method_path(board, entry.method))


def _kind(entry: Entry) -> Cell:
    return Cell(entry.report.method.kind or "", entry.report.method.kind)


def _rank_cells(board: Board, entry: Entry) -> tuple[Cell, Cell]:
    standing = board.standings.get(entry.method)
    if standing is None:
        reasons = board.ranking.unranked if board.ranking is not None else {}
        reason = reasons.get(entry.method, "the primary metric has no value on all samples")
        absent = Cell(numerals.UNDEFINED, note=f"not ranked: {reason}")
        return absent, absent
    span = (standing.lower, standing.upper)
    rank = Cell(numerals.ranks(*span), standing.lower, tone="best" if standing.best else "", ends=span)
    return rank, Cell(standing.letters, standing.letters, tone="letters")


def _result_cells(view: _Primary, entry: Entry) -> tuple[Cell, ...]:
    estimate = entry.estimates.get(view.metric.id)
    value, interval = estimate.value if estimate else None, cells.shown_interval(estimate)
    rank, group = _rank_cells(view.board, entry)
    return (
        rank,
        _name(view.board, entry),
        _value_cell(estimate, view.decimals),
        _interval_cell(estimate, view.decimals),
        Cell("", figure=bar(view.axis, value, interval, reference=view.best)),
        group,
        *cells.count_cells(entry.ledger, view.statuses),
        _kind(entry),
    )


def _incomplete_cells(view: _Primary, entry: Entry) -> tuple[Cell, ...]:
    found = _conditional_cells(entry.estimates.get(view.metric.id), view.decimals, view.axis)
    return (_name(view.board, entry), *found, *cells.count_cells(entry.ledger, view.statuses), _kind(entry))


def _conditional_cells(estimate: Estimate | None, decimals: int, axis: Axis | None) -> tuple[Cell, ...]:
    bounds = estimate.bounds if estimate else None
    bounds_cell = cells.interval_cell(bounds, decimals, "no bounds: the metric is unbounded, or not a mean")
    if estimate is None or estimate.value is None:
        absent = Cell(numerals.UNDEFINED, note=cells.reason(estimate))
        return absent, absent, Cell("", figure=bar(axis, None, None, bounds=bounds)), bounds_cell
    return (
        _value_cell(estimate, decimals),
        _interval_cell(estimate, decimals),
        Cell("", figure=bar(axis, estimate.value, cells.shown_interval(estimate), bounds=bounds)),
        bounds_cell,
    )


def _value_cell(estimate: Estimate | None, decimals: int) -> Cell:
    """Return the cell of a value, with the count behind it where it is not all samples."""
    cell = cells.value_cell(estimate, decimals)
    if estimate is None or estimate.value is None or estimate.n == estimate.total:
        return cell
    return replace(cell, detail=f"on {numerals.of(estimate.n, estimate.total)}")


def _interval_cell(estimate: Estimate | None, decimals: int) -> Cell:
    """Return the cell of an interval; a value without one has the reason in its place."""
    cell = cells.interval_cell(cells.shown_interval(estimate), decimals, cells.reason(estimate))
    words = cells.lacking(estimate)
    return replace(cell, text=words) if words else cell


def _beside_columns(entries: Sequence[Entry]) -> tuple[Column, ...]:
    """Return a column for what each report must show beside its scores, where it is not the same for all."""
    return tuple(Column(f"beside-{index}", label, "text") for index, label in enumerate(own_labels(entries), start=1))


def _beside_cells(entry: Entry, labels: Sequence[Column]) -> tuple[Cell, ...]:
    found = (entry.report.beside.get(column.title) for column in labels)
    return tuple(Cell(value or numerals.UNDEFINED, value) for value in found)
