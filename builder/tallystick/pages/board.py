"""The page of a board: what verification found, the results that may be compared, and what was set aside."""

from __future__ import annotations

from collections.abc import Sequence

from tallystick import numerals
from tallystick.board import Board, Document, Entry, Estimate, Link, PageType, Site
from tallystick.model import Metric, Status
from tallystick.pages import _estimates as cells
from tallystick.pages import _figures as figures
from tallystick.pages._comparisons import family_tables
from tallystick.pages._frame import audit_path, board_path, computation_path, method_path, page, report_anchor
from tallystick.pages._words import direction, ranked, recipe, tally, unranked_reason
from tallystick.table import Cell, Column, Row, Table


def documents(site: Site) -> tuple[Document, ...]:
    """Make one page for each board."""
    return tuple(_document(site, board) for board in site.boards)


def _document(site: Site, board: Board) -> Document:
    bench = board.benchmark
    complete = tuple(entry for entry in board.entries if entry.complete)
    incomplete = tuple(entry for entry in board.entries if not entry.complete)
    return page(
        site,
        board_path(board),
        "board.html",
        title=bench.title,
        description=bench.description or f"Verified results of {bench.title}.",
        board=board,
        lede=bench.description,
        links=tuple(Link(text, href) for text, href in bench.links.items()),
        verification=_verification(board),
        tally=tally(board.entries),
        audit=audit_path(board),
        computation=computation_path(board),
        unranked=unranked_reason(board),
        results=_results(board, complete),
        metrics=_other_metrics(board, complete, "metrics", "Every other metric"),
        incomplete=_incomplete(board, incomplete),
        incomplete_metrics=_other_metrics(
            board, incomplete, "incomplete-metrics", "Every other metric, incomplete reports"
        ),
        ledger=cells.ledger_table([(entry, method_path(board, entry.method)) for entry in board.entries]),
        families=family_tables(board),
        aside=_set_aside(board),
        notes=board.notes,
        recipe=recipe(board),
    )


def _verification(board: Board) -> tuple[tuple[str, str], ...]:
    """Count what became of every report, as (count, what) pairs."""
    apart = (*board.diagnostic, *board.refused)
    refused = sum(entry.outcome == "refused" for entry in apart) + len(board.unread)
    withdrawn = sum(entry.outcome == "withdrawn" for entry in apart)
    shown = "shown, diagnostic only" if board.benchmark.diagnostic else "admitted"
    pairs = [(len(board.entries), shown), (len(board.diagnostic), "diagnostic"), (refused, "refused")]
    if board.benchmark.diagnostic:
        del pairs[1]
    if withdrawn:
        pairs.append((withdrawn, "withdrawn"))
    return tuple((numerals.count(number), what) for number, what in pairs)


def _primary_columns(metric: Metric, axis: figures.Axis | None, value: str) -> tuple[Column, ...]:
    scale = figures.scale(axis) if axis is not None else None
    return (
        Column(metric.id, value, hint=direction(metric), group=metric.title),
        Column(f"{metric.id}-interval", "Interval", "text", group=metric.title),
        Column(f"{metric.id}-bar", "Interval, drawn", "figure", group=metric.title, axis=scale),
    )


def _results(board: Board, entries: Sequence[Entry]) -> Table | None:
    """Tabulate complete entries by the primary metric, with ranks where there are any."""
    if not entries:
        return None
    metric = board.benchmark.metric(board.benchmark.primary)
    estimates = [entry.estimates.get(metric.id) for entry in entries]
    decimals, axis, best = cells.places(estimates), cells.shared_axis(estimates), cells.best(metric, estimates)
    statuses = cells.statuses_present(entry.ledger for entry in entries)
    rank_columns = (
        Column("rank", "Rank", "text", hint="what the data can order"),
        Column("group", "Group", "text", hint="same letter: not separable"),
    )
    columns = (
        *(rank_columns if ranked(board) else ()),
        Column("method", "Method", "header"),
        *_primary_columns(metric, axis, "Value"),
        *cells.count_columns(statuses),
    )
    rows = tuple(
        Row(
            f"method-{entry.method}",
            (*_rank_cells(board, entry), *_result_cells(board, entry, estimate, decimals, axis, best, statuses)),
        )
        for entry, estimate in zip(entries, estimates, strict=True)
    )
    legend = "The dotted line in each bar marks the best value." if best is not None and len(entries) > 1 else ""
    return Table(
        "results",
        f"Results by {metric.title}",
        columns,
        rows,
        tuple(filter(None, (legend, *cells.absent_statuses(statuses)))),
    )


def _rank_cells(board: Board, entry: Entry) -> tuple[Cell, ...]:
    if not ranked(board):
        return ()
    standing = board.standings.get(entry.method)
    if standing is None:
        reason = "not ranked: no value of the primary metric on all samples"
        return Cell(numerals.UNDEFINED, note=reason), Cell(numerals.UNDEFINED, note=reason)
    rank = Cell(numerals.ranks(standing.lower, standing.upper), standing.lower, tone="best" if standing.best else "")
    return rank, Cell(standing.letters, standing.letters, tone="letters")


def _result_cells(
    board: Board,
    entry: Entry,
    estimate: Estimate | None,
    decimals: int,
    axis: figures.Axis | None,
    best: float | None,
    statuses: Sequence[Status],
) -> tuple[Cell, ...]:
    interval = estimate.interval if estimate else None
    value = estimate.value if estimate else None
    return (
        _method_cell(board, entry),
        cells.value_cell(estimate, decimals),
        cells.interval_cell(interval, decimals, cells.reason(estimate)),
        Cell("", figure=figures.bar(axis, value, interval, reference=best)),
        *cells.count_cells(entry.ledger, statuses),
    )


def _method_cell(board: Board, entry: Entry) -> Cell:
    method = entry.report.method
    return Cell(method.title, method.id, method.kind or "", method_path(board, method.id))


def _other_metrics(board: Board, entries: Sequence[Entry], id_: str, caption: str) -> Table | None:
    """Tabulate the metrics other than the primary one: value, interval and, where it is not all, the count."""
    others = tuple(metric for metric in board.benchmark.metrics if metric.id != board.benchmark.primary)
    if not entries or not others:
        return None
    decimals = {metric.id: cells.places(entry.estimates.get(metric.id) for entry in entries) for metric in others}
    rows = tuple(
        Row(
            "",
            (
                _method_cell(board, entry),
                *(cells.full_cell(entry.estimates.get(m.id), decimals[m.id], entry.ledger.total) for m in others),
            ),
        )
        for entry in entries
    )
    return Table(id_, caption, (Column("method", "Method", "header"), *map(cells.metric_column, others)), rows)


def _incomplete(board: Board, entries: Sequence[Entry]) -> Table | None:
    """Tabulate incomplete entries: conditional means with their count and with worst and best case."""
    if not entries:
        return None
    metric = board.benchmark.metric(board.benchmark.primary)
    estimates = [entry.estimates.get(metric.id) for entry in entries]
    decimals, axis = cells.places(estimates), cells.shared_axis(estimates)
    statuses = cells.statuses_present(entry.ledger for entry in entries)
    columns = (
        Column("method", "Method", "header"),
        *_primary_columns(metric, axis, "Over scored samples"),
        Column("bounds", "Worst to best case", "text", group=metric.title),
        *cells.count_columns(statuses),
    )
    rows = tuple(
        Row(
            f"method-{entry.method}",
            (
                _method_cell(board, entry),
                *_conditional_cells(estimate, decimals, axis),
                *cells.count_cells(entry.ledger, statuses),
            ),
        )
        for entry, estimate in zip(entries, estimates, strict=True)
    )
    notes = (
        "Not every sample was scored, so the mean over all samples is undefined: these values speak of scored samples"
        " only and stand in no order with the complete ones.",
        "Worst and best case put every unscored sample at the lower, then at the upper end of the metric. They are no"
        " confidence intervals; the pale line draws them.",
    )
    return Table("incomplete", f"Incomplete reports, {metric.title}", columns, rows, notes)


def _conditional_cells(estimate: Estimate | None, decimals: int, axis: figures.Axis | None) -> tuple[Cell, ...]:
    if estimate is None or estimate.value is None:
        absent = Cell(numerals.UNDEFINED, note=cells.reason(estimate))
        return absent, absent, Cell(""), absent
    bounds = cells.interval_cell(estimate.bounds, decimals, "no bounds: the metric is unbounded, or not a mean")
    return (
        Cell(
            numerals.number(estimate.value, decimals), estimate.value, f"on {numerals.of(estimate.n, estimate.total)}"
        ),
        cells.interval_cell(estimate.interval, decimals, cells.reason(estimate)),
        Cell("", figure=figures.bar(axis, estimate.value, estimate.interval, bounds=estimate.bounds)),
        bounds,
    )


def _set_aside(board: Board) -> Table | None:
    """Tabulate the reports that are not shown above, each with its first reason."""
    apart = [
        (entry.report.method.title, entry.report.path, entry.outcome, entry.problems)
        for entry in (*board.diagnostic, *board.refused)
    ]
    rows = [(title, path, str(outcome), problems) for title, path, outcome, problems in apart]
    rows += [(one.method or one.path, one.path, "refused", one.problems) for one in board.unread]
    if not rows:
        return None
    return Table(
        id="set-aside",
        caption="Set aside",
        columns=(
            Column("report", "Report", "header"),
            Column("outcome", "Outcome", "text"),
            Column("problems", "Problems"),
            Column("reason", "First reason", "text"),
        ),
        rows=tuple(
            Row(
                "",
                (
                    Cell(title, path, href=f"{audit_path(board)}#{report_anchor(path)}"),
                    Cell(outcome, outcome, tone=outcome),
                    Cell(numerals.count(len(problems)), len(problems)),
                    Cell(
                        f"Expected {problems[0].expected}, found {problems[0].found}."
                        if problems
                        else numerals.UNDEFINED
                    ),
                ),
            )
            for title, path, outcome, problems in rows
        ),
    )


PAGE = PageType("board", "A board: its verified results, with intervals and with how every sample ended.", documents)
