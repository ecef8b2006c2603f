"""The page of a method: everything that its report said, and everything that was computed from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from tallystick import numerals
from tallystick.board import Board, Breakdown, Document, Entry, Estimate, Link, PageType, Site
from tallystick.model import Metric, Status
from tallystick.pages import _estimates as cells
from tallystick.pages import _figures as figures
from tallystick.pages import _origin
from tallystick.pages._breakdown import axes as split_axes
from tallystick.pages._breakdown import parts as axis_parts
from tallystick.pages._comparisons import compared, pair_table
from tallystick.pages._findings import depth_words, method_findings, records
from tallystick.pages._frame import audit_path, entries_with_pages, later, method_path, page, report_anchor
from tallystick.pages._samples import samples_of
from tallystick.pages._words import direction, level, ranked, recipe, said, stated_table, stated_tally, tally
from tallystick.table import Cell, Column, Row, Table

CLUSTERS = "Clusters drawn whole"
STATED_SHOWN = 2000
"""Stated numbers listed one by one; those that are not exact come first."""


def documents(site: Site) -> tuple[Document, ...]:
    """Make one page for each method that is shown, and for each diagnostic one."""
    made = []
    for board in site.boards:
        shown = {entry.method for entry in board.entries}
        for method, entry in entries_with_pages(board).items():
            aside = method not in shown
            audit = f"{audit_path(board)}#{report_anchor(entry.report.path, method)}" if aside else ""
            make = partial(_document, site, board, entry, audit)
            made.append(later(method_path(board, method), "method.html", make))
    return tuple(made)


def _document(site: Site, board: Board, entry: Entry, audit: str) -> Document:
    """Return the page of an entry; `audit` leads to what was said of one that is set aside."""
    method, bench = entry.report.method, board.benchmark
    path = method_path(board, entry.method)
    reason = bench.diagnostic or (_reason(entry) if audit else "")
    return page(
        site,
        path,
        "method.html",
        title=method.title,
        description=f"{method.title} on {bench.title}: every metric with intervals, and how its report was verified.",
        board=board,
        crumbs=(Link(method.title, path),),
        diagnostic=reason or None,
        method=method,
        outcome="shown, diagnostic only" if bench.diagnostic and entry.outcome == "admitted" else entry.outcome,
        standing=_standing(board, entry),
        tally=tally((entry,)),
        metrics=_metrics(board, entry),
        ledger=cells.ledger_table([(entry, None)]),
        axes=tuple(_axis(board, entry, axis) for axis in _own_axes(board, entry)),
        comparisons=_comparisons(board, entry),
        notes=said((entry,)),
        findings=method_findings(board, entry),
        records=records(board, entry),
        depth=depth_words(entry),
        samples=samples_of(board, entry),
        stated_tally=stated_tally(entry) if entry.reconciliations else None,
        stated=_stated(entry),
        stated_unlisted=_unlisted(entry),
        unverified=entry.report.unverified,
        problems=entry.problems,
        provenance=_origin.provenance(entry),
        fingerprint=_origin.fingerprint(board, entry),
        files=_origin.files(entry),
        audit=audit,
        recipe=recipe(board),
    )


def _reason(entry: Entry) -> str:
    problems = [problem for problem in entry.problems if problem.effect != "note"]
    return problems[0].sentence if problems else "This report is set aside."


def _standing(board: Board, entry: Entry) -> tuple[tuple[str, str], ...]:
    """Return what the ranking says of an entry, as (value, what) pairs; empty where it says nothing."""
    standing = board.standings.get(entry.method) if ranked(board) else None
    if standing is None:
        return ()
    said = [(numerals.ranks(standing.lower, standing.upper), "rank, jointly with all others")]
    if standing.marginal is not None:
        said.append((numerals.ranks(*standing.marginal), "rank, for this method alone"))
    said.append((standing.letters, "group"))
    if standing.probability_best is not None:
        said.append((numerals.percentage(standing.probability_best), "of resamples have it best"))
    return tuple(said)


def _metrics(board: Board, entry: Entry) -> Table | None:
    """Tabulate every metric, the stratified interval beside the cluster interval."""
    found = [(metric, entry.estimates[metric.id]) for metric in board.benchmark.metrics if metric.id in entry.estimates]
    if not found:
        return None
    drawn = f"stratified by {board.benchmark.stratum}" if board.benchmark.stratum else "unstratified"
    table = Table(
        id="metrics",
        caption="Every metric",
        columns=(
            Column("metric", "Metric", "header"),
            Column("value", "Value"),
            Column("interval", "Interval", "range", hint=f"{level(board)}, {drawn}"),
            _drawn_column([metric for metric, _ in found]),
            Column("n", "Samples"),
            Column("cluster-value", "Value", group=CLUSTERS),
            Column("cluster-interval", "Interval", "range", group=CLUSTERS, hint=level(board)),
            Column("clusters", "Clusters", group=CLUSTERS),
            Column("left-out", "Left out", hint="in no cluster", group=CLUSTERS),
        ),
        rows=tuple(_metric_row(metric, estimate) for metric, estimate in found),
        notes=(cells.BOUNDS_NOTE,) if any(estimate.bounds is not None for _, estimate in found) else (),
    )
    clusters = [estimate.cluster for _, estimate in found if estimate.cluster is not None]
    if not clusters:
        return table.without({column.id for column in table.columns if column.group == CLUSTERS})
    return table if any(one.left_out for one in clusters) else table.without({"cluster-value", "left-out"})


def _drawn_column(metrics: Sequence[Metric]) -> Column:
    """Return the column of bars, with a scale where all metrics have the same ends."""
    ends = {(metric.lower, metric.upper) for metric in metrics}
    axis = _own_axis(metrics[0], None) if len(ends) == 1 else None
    hint = "" if axis is not None else "between the metric's ends"
    return Column("bar", "Drawn", "figure", hint=hint, axis=figures.scale(axis) if axis is not None else None)


def _metric_row(metric: Metric, estimate: Estimate) -> Row:
    decimals = cells.places((estimate,))
    picture = figures.bar(
        _own_axis(metric, estimate), estimate.value, cells.shown_interval(estimate), bounds=estimate.bounds
    )
    row = (
        Cell(metric.title, metric.id, ". ".join(filter(None, (direction(metric).capitalize(), metric.description)))),
        cells.value_cell(estimate, decimals),
        cells.interval_cell(cells.shown_interval(estimate), decimals, cells.reason(estimate)),
        Cell("", figure=picture),
        Cell(numerals.of(estimate.n, estimate.total), estimate.n, cells.worst_to_best(estimate, decimals)),
        *_cluster_cells(estimate, decimals),
    )
    return Row(f"metric-{metric.id}", row)


def _own_axis(metric: Metric, estimate: Estimate | None) -> figures.Axis | None:
    """Return an axis between the metric's own ends, or around the estimate where it has none."""
    if metric.lower is None or metric.upper is None:
        return cells.shared_axis((estimate,), metric)
    return figures.axis_over((metric.lower, metric.upper))


def _cluster_cells(estimate: Estimate, decimals: int) -> tuple[Cell, ...]:
    cluster = estimate.cluster
    if cluster is None:
        return (Cell(numerals.UNDEFINED, note="no clusters: no sample with a value belongs to one"),) * 4
    value = Cell(numerals.number(cluster.value, decimals), cluster.value)
    return (
        value,
        cells.interval_cell(cluster.interval, decimals, "no interval: too few clusters"),
        Cell(numerals.count(cluster.clusters), cluster.clusters),
        Cell(numerals.count(cluster.left_out), cluster.left_out),
    )


def _own_axes(board: Board, entry: Entry) -> tuple[str, ...]:
    """Return the axes to split by: one with a single value would say again what all samples say."""
    found = Counter(part.axis for part in entry.breakdowns)
    return tuple(axis for axis, values in found.items() if values > 1 or axis not in board.benchmark.axes)


def _axis(board: Board, entry: Entry, axis: str) -> Table:
    """Tabulate every metric by the values of an axis."""
    parts = [part for part in entry.breakdowns if part.axis == axis]
    metrics = [metric for metric in board.benchmark.metrics if any(metric.id in part.estimates for part in parts)]
    decimals = {metric.id: cells.places(part.estimates.get(metric.id) for part in parts) for metric in metrics}
    statuses = cells.statuses_present(part.ledger for part in parts)
    columns = (
        Column(axis, axis.replace("_", " ").capitalize(), "header"),
        *map(cells.metric_column, metrics),
        Column("bar", "All samples", "figure", minor=True),
        *cells.count_columns(statuses),
    )
    paths = {part.value: part.path for part in axis_parts(board, axis)} if axis in split_axes(board) else {}
    rows = tuple(Row("", _axis_cells(part, metrics, decimals, statuses, paths)) for part in parts)
    return Table(f"axis-{numerals.count(_position(board, axis))}", f"By {axis.replace('_', ' ')}", columns, rows)


def _position(board: Board, axis: str) -> int:
    return board.benchmark.axes.index(axis) if axis in board.benchmark.axes else len(board.benchmark.axes)


def _axis_cells(
    part: Breakdown,
    metrics: Sequence[Metric],
    decimals: Mapping[str, int],
    statuses: Sequence[Status],
    paths: Mapping[str, str],
) -> tuple[Cell, ...]:
    return (
        Cell(part.value, part.value, href=paths.get(part.value)),
        *(cells.full_cell(part.estimates.get(m.id), decimals[m.id], part.ledger.total) for m in metrics),
        Cell("", figure=figures.ledger(part.ledger)),
        *cells.count_cells(part.ledger, statuses),
    )


def _comparisons(board: Board, entry: Entry) -> tuple[Table, ...]:
    """Tabulate the pairs of a method, those in which it is the candidate apart, so that a sign means one thing."""
    metric, name = board.benchmark.metric(board.benchmark.primary).title, entry.report.method.title
    found = compared(board, board.benchmark.primary)
    first = [one for one in found if one.candidate == entry.method]
    second = [one for one in found if one.baseline == entry.method]
    tables = (
        pair_table(board, "as-candidate", f"{metric}, {name} against each baseline", first, named="baseline"),
        pair_table(board, "as-baseline", f"{metric}, each candidate against {name}", second, named="candidate"),
    )
    return tuple(table for table in tables if table.rows)


def _stated(entry: Entry) -> Table | None:
    """List the report's own stated numbers, and of other groups those that are not exact."""
    listed = [found for found in entry.reconciliations if found.group == "report" or found.verdict != "exact"]
    if not listed:
        return None
    listed.sort(key=lambda found: found.verdict in ("exact", "unverified"))
    return stated_table("stated", "Stated numbers, one by one", listed[:STATED_SHOWN])


def _unlisted(entry: Entry) -> str:
    """Say how many exact numbers are only counted."""
    listed = sum(found.group == "report" or found.verdict != "exact" for found in entry.reconciliations)
    hidden = len(entry.reconciliations) - min(listed, STATED_SHOWN)
    return f"{numerals.count(hidden)} further numbers came out exact and are only counted." if hidden else ""


PAGE = PageType(
    "method", "A method: all of its metrics, its verification, its comparisons and its provenance.", documents
)
