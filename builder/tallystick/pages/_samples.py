"""The samples of a board that has few enough of them for a page each: where the pages lie, and what a sample says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallystick import numerals
from tallystick.board import Board, Entry, Link
from tallystick.model import Metric, Status
from tallystick.pages import _figures as figures
from tallystick.pages._frame import have_pages
from tallystick.pages._slugs import slugs
from tallystick.table import Cell, Column, Row, Table

WIDE = 10
"""The range of a metric from which on two decimals of a value are plenty."""


def sample_paths(board: Board) -> Mapping[str, str]:
    """Return where the page of each sample lies; empty where none has one."""
    if not have_pages(board):
        return {}
    return {
        sample: f"{board.benchmark.id}/samples/{name}.html"
        for sample, name in slugs(board.benchmark.samples.ids).items()
    }


def sample_links(board: Board, axis: str, value: str) -> tuple[Link, ...]:
    """Return the ways to the samples with one value of an axis."""
    paths = sample_paths(board)
    values = board.benchmark.samples.axes[axis]
    return tuple(
        Link(one, paths[one])
        for one, own in zip(board.benchmark.samples.ids, values, strict=True)
        if own == value and one in paths
    )


def sample_title(board: Board, index: int) -> str:
    """Return the text by which the maintainer lets a sample be known, or nothing."""
    text = board.benchmark.samples.rows[index].get(board.benchmark.showing.sample_title)
    return text.strip() if isinstance(text, str) else ""


def row_of(entry: Entry, sample: str) -> int | None:
    """Return the row of a report that speaks of a sample."""
    return entry.report.ids.index(sample) if sample in entry.report.ids else None


def status_cell(status: Status | None) -> Cell:
    """Return the cell of how a sample ended."""
    return Cell(status, status, tone=f"ended-{status}") if status else Cell(numerals.UNDEFINED)


def decimals(board: Board, metric: Metric) -> int:
    """Return the decimals of samples' values: none where all are whole, else as the metric's range asks for."""
    columns = [found for entry in board.entries if (found := entry.report.columns.get(metric.id)) is not None]
    if all((column.statistics == column.statistics.round()).all() for column in columns):
        return 0
    wide = metric.lower is not None and metric.upper is not None and metric.upper - metric.lower >= WIDE
    return 2 if wide else numerals.PLAIN_DECIMALS


def value_cell(entry: Entry, metric: Metric, row: int, places: int, apart: str = "") -> Cell:
    """Return the cell of one sample's value: the number, or the counts that make one, named or only put `apart`."""
    column = entry.report.columns.get(metric.id)
    if column is None or not column.defined[row]:
        return Cell(numerals.UNDEFINED, note=f"{metric.title} says nothing of this sample")
    numbers = [float(value) for value in column.statistics[row]]
    if len(numbers) == 1:
        return Cell(numerals.number(numbers[0], places), numbers[0])
    texts = [numerals.single(value) for value in numbers]
    if apart:
        return Cell(apart.join(texts))
    return Cell(", ".join(f"{name.replace('_', ' ')} {text}" for name, text in zip(metric.fields, texts, strict=False)))


def drawn_cell(entry: Entry, metric: Metric, row: int) -> Cell:
    """Return the cell that draws one sample's value between the ends of its metric."""
    axis = value_axis(metric)
    column = entry.report.columns.get(metric.id)
    if axis is None or column is None or not column.defined[row] or column.statistics.shape[1] != 1:
        return Cell("")
    return Cell("", figure=figures.bar(axis, float(column.statistics[row, 0]), None))


def value_axis(metric: Metric) -> figures.Axis | None:
    """Return an axis between the ends of a metric; None where it has none."""
    if metric.lower is None or metric.upper is None:
        return None
    return figures.axis_over((metric.lower, metric.upper))


def samples_of(board: Board, entry: Entry) -> Table | None:
    """Tabulate how each sample of a report ended, and its value of the primary metric."""
    paths = sample_paths(board)
    if not paths:
        return None
    metric = board.benchmark.metric(board.benchmark.primary)
    columns = (
        Column("sample", "Sample", "header"),
        Column("status", "Ended", "text", facet="value"),
        Column(metric.id, metric.title),
    )
    places = decimals(board, metric)
    rows = tuple(
        Row(
            "",
            (
                Cell(sample, sample, href=paths.get(sample)),
                status_cell(entry.report.statuses[row]),
                value_or_none(entry, metric, row, places),
            ),
        )
        for row, sample in sorted(enumerate(entry.report.ids), key=lambda pair: pair[1])
    )
    return Table("samples", "How each sample ended", columns, rows)


def value_or_none(entry: Entry, metric: Metric, row: int, places: int) -> Cell:
    """Return the cell of a sample's value, with the status as the reason where it has none."""
    column = entry.report.columns.get(metric.id)
    if column is not None and column.defined[row]:
        return value_cell(entry, metric, row, places)
    return Cell(numerals.UNDEFINED, note=f"no value: {entry.report.statuses[row]}")


def record_of(entry: Entry, sample: str) -> Mapping[str, Any]:
    """Return what the report's protocol hands on of a sample."""
    return entry.report.records.get(sample, {})
