"""The pages of samples, or tasks, where there are few: how each method ended on it, with every value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from tallystick import numerals
from tallystick.board import Board, Document, Entry, Link, PageType, Site
from tallystick.model import Metric
from tallystick.pages import _estimates as cells
from tallystick.pages import _findings as findings
from tallystick.pages._breakdown import axes, axis_words, parts
from tallystick.pages._figures import scale
from tallystick.pages._frame import have_pages, later, method_path, page, samples_path
from tallystick.pages._samples import (
    decimals,
    drawn_cell,
    record_of,
    row_of,
    sample_paths,
    sample_title,
    status_cell,
    value_axis,
    value_cell,
    value_or_none,
)
from tallystick.pages._words import ABSTENTION_NOTE, neighbours, said
from tallystick.table import Cell, Column, Row, Table

METHOD_COLUMNS_AT_MOST = 12
"""Methods up to which the list of all samples has a column for each."""


def documents(site: Site) -> tuple[Document, ...]:
    """Make the list of samples, and a page for each, of each board that has few enough."""
    made = []
    for board in site.boards:
        if have_pages(board):
            made.append(later(samples_path(board), "samples.html", partial(_list, site, board)))
            for index, path in enumerate(sample_paths(board).values()):
                made.append(later(path, "sample.html", partial(_document, site, board, index)))
    return tuple(made)


def _list(site: Site, board: Board) -> Document:
    path = samples_path(board)
    return page(
        site,
        path,
        "samples.html",
        title="Samples",
        description=f"Every sample of {board.benchmark.title}, and how each method ended on it.",
        board=board,
        crumbs=(Link("Samples", path),),
        table=_every_sample(board),
    )


def _every_sample(board: Board) -> Table:
    """Tabulate all samples: axes, how many methods scored, and each method's value where there are few methods."""
    samples, metric = board.benchmark.samples, board.benchmark.metric(board.benchmark.primary)
    entries = board.entries if len(board.entries) <= METHOD_COLUMNS_AT_MOST else ()
    columns = (
        Column("sample", "Sample", "header"),
        *(
            Column(f"axis-{index}", axis_words(axis).capitalize(), "text", facet="value")
            for index, axis in enumerate(axes(board))
        ),
        Column("scored", "Scored", hint="of methods"),
        *(
            Column(
                f"method-{entry.method}",
                entry.report.method.title,
                href=method_path(board, entry.method),
            )
            for entry in entries
        ),
    )
    places = decimals(board, metric)
    links = {axis: {part.value: part.path for part in parts(board, axis)} for axis in axes(board)}
    rows = []
    for index, (sample, path) in enumerate(sample_paths(board).items()):
        values = [(axis, samples.axes[axis][index]) for axis in axes(board)]
        found = [(entry, row_of(entry, sample)) for entry in board.entries]
        scored = sum(row is not None and entry.report.statuses[row] == "scored" for entry, row in found)
        shown = found if entries else []
        row = (
            Cell(sample, sample, href=path),
            *(Cell(value or numerals.UNDEFINED, value, href=links[axis].get(value or "")) for axis, value in values),
            Cell(numerals.of(scored, len(found)), scored),
            *(_value_or_status(entry, metric, place, places) for entry, place in shown),
        )
        rows.append(Row("", row))
    caption = f"Every sample, with each method's {metric.title}" if entries else "Every sample"
    notes = (_parts_note(metric),) if entries and len(metric.fields) > 1 else ()
    return Table("samples", caption, columns, tuple(rows), (*notes, *said(board.entries)))


def _parts_note(metric: Metric) -> str:
    """Say which counts stand where a sample has no value of its own, only a part in one."""
    return f"A cell holds the sample's {' / '.join(name.replace('_', ' ') for name in metric.fields)}."


def _value_or_status(entry: Entry, metric: Metric, row: int | None, places: int) -> Cell:
    if row is None:
        return Cell(numerals.UNDEFINED, note="the report says nothing of this sample")
    column, status = entry.report.columns.get(metric.id), entry.report.statuses[row]
    if column is not None and column.defined[row]:
        return value_cell(entry, metric, row, places, " / ")
    return Cell(status, tone=f"ended-{status}")


def _document(site: Site, board: Board, index: int) -> Document:
    samples = board.benchmark.samples
    sample, paths = samples.ids[index], sample_paths(board)
    statuses = {entry.report.statuses[row] for entry in board.entries if (row := row_of(entry, sample)) is not None}
    return page(
        site,
        paths[sample],
        "sample.html",
        title=sample,
        description=f"Sample {sample} of {board.benchmark.title}: how each method ended on it.",
        board=board,
        crumbs=(Link("Samples", samples_path(board)), Link(sample, paths[sample])),
        text=sample_title(board, index),
        facts=_facts(board, index),
        table=_methods(board, sample),
        findings=_findings(board, sample),
        notes=(ABSTENTION_NOTE,) if "abstained" in statuses else (),
        neighbours=neighbours([Link(one, path) for one, path in paths.items()], index),
    )


def _findings(board: Board, sample: str) -> Table | None:
    """Tabulate every method's findings on a sample, each with the way to its whole record."""
    anchor = findings.anchors(board)[sample]
    found = [
        (entry.report.method.title, f"{method_path(board, entry.method)}#{anchor}", record_of(entry, sample))
        for entry in board.entries
    ]
    return findings.findings_table(found, "Method", "Findings on this sample")


def _facts(board: Board, index: int) -> tuple[tuple[str, Link], ...]:
    """Return what a sample is, as (what, value) pairs that link to the other samples of the same kind."""
    samples = board.benchmark.samples
    facts = []
    for axis in axes(board):
        value = samples.axes[axis][index]
        path = next((part.path for part in parts(board, axis) if part.value == value), "")
        facts.append((axis_words(axis).capitalize(), Link(value or numerals.UNDEFINED, path)))
    if board.benchmark.stratum and board.benchmark.stratum not in board.benchmark.axes:
        facts.append((f"Stratum ({axis_words(board.benchmark.stratum)})", Link(samples.strata[index], "")))
    if samples.clusters is not None:
        facts.append(("Cluster", Link(samples.clusters[index] or "in no cluster", "")))
    return tuple(facts)


def _methods(board: Board, sample: str) -> Table:
    """Tabulate how each method ended on a sample."""
    primary = board.benchmark.metric(board.benchmark.primary)
    others = [metric for metric in board.benchmark.metrics if metric.id != board.benchmark.primary]
    found = [(entry, row) for entry in board.entries if (row := row_of(entry, sample)) is not None]
    others = [metric for metric in others if any(_defined(entry, metric, row) for entry, row in found)]
    axis = value_axis(primary)
    columns = (
        Column("method", "Method", "header"),
        Column("status", "Ended", "text", facet="value"),
        Column(primary.id, primary.title),
        Column("drawn", "Drawn", "figure", axis=scale(axis) if axis is not None else None),
        *map(cells.metric_column, others),
        Column("reason", "Its report says", "text"),
    )
    places = {metric.id: decimals(board, metric) for metric in (primary, *others)}
    rows = tuple(
        Row(f"method-{entry.method}", _method_cells(board, entry, row, (primary, *others), places))
        for entry, row in found
    )
    table = Table("methods", "How each method ended", columns, rows, said(board.entries))
    silent = not any(record_of(entry, sample).get("error") for entry, _ in found)
    undrawn = all(row.cells[3].figure is None for row in rows)
    return table.without({*(["reason"] if silent else []), *(["drawn"] if undrawn else [])})


def _method_cells(
    board: Board, entry: Entry, row: int, metrics: Sequence[Metric], places: Mapping[str, int]
) -> tuple[Cell, ...]:
    """Return the cells of a method on one sample; the primary metric comes first and is also drawn."""
    method, status, primary = entry.report.method, entry.report.statuses[row], metrics[0]
    return (
        Cell(method.title, method.id, href=method_path(board, method.id)),
        status_cell(status),
        value_or_none(entry, primary, row, places[primary.id]),
        drawn_cell(entry, primary, row),
        *(value_cell(entry, metric, row, places[metric.id]) for metric in metrics[1:]),
        Cell(str(record_of(entry, entry.report.ids[row]).get("error") or "")),
    )


def _defined(entry: Entry, metric: Metric, row: int) -> bool:
    column = entry.report.columns.get(metric.id)
    return column is not None and bool(column.defined[row])


PAGE = PageType("sample", "The samples of a small benchmark: how each method ended on each of them.", documents)
