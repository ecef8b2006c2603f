"""The page of a board: what verification found, the results that may be compared, and what was set aside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from tallystick import numerals
from tallystick.board import Board, Document, Link, PageType, Site
from tallystick.errors import Problem
from tallystick.pages._breakdown import overviews
from tallystick.pages._comparisons import family_tables, others_table, uncompared
from tallystick.pages._estimates import ledger_table
from tallystick.pages._forests import metrics_shown
from tallystick.pages._frame import (
    audit_path,
    board_path,
    computation_path,
    gone,
    is_large,
    later,
    long_path,
    method_path,
    metric_path,
    page,
    report_anchor,
)
from tallystick.pages._ranking import records_table, resolution
from tallystick.pages._results import further_table, incomplete_table, results_table
from tallystick.pages._words import recipe, tally, unranked_reason
from tallystick.table import Cell, Column, Row, Table

DIGEST = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")


def documents(site: Site) -> tuple[Document, ...]:
    """Make one page for each board."""
    return tuple(later(board_path(board), "board.html", partial(_document, site, board)) for board in site.boards)


def _document(site: Site, board: Board) -> Document:
    bench = board.benchmark
    complete = tuple(entry for entry in board.entries if entry.complete)
    incomplete = tuple(entry for entry in board.entries if not entry.complete)
    large = is_large(board)
    accounted = [(entry, method_path(board, entry.method)) for entry in board.entries]
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
        results=results_table(board, complete),
        metrics=None if large else further_table(board, complete, "metrics", "Every other metric"),
        metric_pages=tuple(Link(metric.title, metric_path(board, metric.id)) for metric in metrics_shown(board)),
        incomplete=incomplete_table(board, incomplete),
        incomplete_metrics=(
            None
            if large
            else further_table(board, incomplete, "incomplete-metrics", "Every other metric, incomplete reports")
        ),
        ledger=ledger_table(accounted) if accounted and not large else None,
        accounting=long_path(board, "accounting") if large else "",
        families=() if large else family_tables(board),
        declared=long_path(board, "declared") if large and board.comparisons else "",
        uncompared=uncompared(board),
        pairs=others_table(board),
        breakdowns=overviews(board),
        aside=_set_aside(board),
        resolution=resolution(board),
        records=records_table(board),
        notes=board.notes,
        recipe=recipe(board),
    )


def _verification(board: Board) -> tuple[tuple[str, str], ...]:
    """Count what became of every report, as (count, what) pairs."""
    apart = (*board.diagnostic, *board.refused)
    refused = sum(entry.outcome == "refused" for entry in apart) + len(board.unread)
    withdrawn = sum(entry.outcome == "withdrawn" for entry in apart) + len(gone(board))
    shown = "shown, diagnostic only" if board.benchmark.diagnostic else "admitted"
    pairs = [(len(board.entries), shown), (len(board.diagnostic), "diagnostic"), (refused, "refused")]
    if board.benchmark.diagnostic:
        del pairs[1]
    if withdrawn:
        pairs.append((withdrawn, "withdrawn"))
    return tuple((numerals.count(number), what) for number, what in pairs)


def _set_aside(board: Board) -> Table | None:
    """Tabulate the reports that are not shown above, each with its first reason."""
    apart = (*board.diagnostic, *board.refused)
    rows: list[tuple[str, str, str | None, str, tuple[Problem, ...]]] = [
        (e.report.method.title, e.report.path, e.method, str(e.outcome), e.problems) for e in apart
    ]
    rows += [(one.method or one.path, one.path, one.method, "refused", one.problems) for one in board.unread]
    rows += [(one.title, one.path, one.method, "withdrawn", (one.problem(one.path),)) for one in gone(board)]
    if not rows:
        return None
    return Table(
        id="set-aside",
        caption="Reports that are not shown above",
        columns=(
            Column("report", "Report", "header"),
            Column("outcome", "Outcome", "text", facet="value"),
            Column("problems", "Problems"),
            Column("reason", "First reason", "text"),
        ),
        rows=tuple(
            Row(
                "",
                (
                    Cell(title, path, href=f"{audit_path(board)}#{report_anchor(path, method)}"),
                    Cell(outcome, outcome, tone=outcome),
                    Cell(numerals.count(len(problems)), len(problems)),
                    Cell(_first_reason(problems), tone="wide"),
                ),
            )
            for title, path, method, outcome, problems in rows
        ),
    )


def _first_reason(problems: Sequence[Problem]) -> str:
    """Say the first problem in a line, digests cut: the audit page has every digit."""
    if not problems:
        return numerals.UNDEFINED
    return DIGEST.sub(r"\1…", problems[0].sentence)


PAGE = PageType("board", "A board: its verified results, with intervals and with how every sample ended.", documents)
