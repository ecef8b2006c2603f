"""The figures of a board: what its tables say, drawn, each with a file for papers."""

from __future__ import annotations

from functools import partial

from tallystick import numerals
from tallystick.board import Board, Document, Entry, Link, PageType, Site
from tallystick.pages._forests import DRAWN, metric_forest, metrics_shown
from tallystick.pages._frame import figures_path, later, metric_path, page, records_path
from tallystick.pages._plots import Outcome, matrix, separated, statuses
from tallystick.pages._ranking import over_time
from tallystick.pages._words import ranked, recipe
from tallystick.table import Figure

MATRIX_AT_MOST, BARS_AT_MOST = 60, 60


def documents(site: Site) -> tuple[Document, ...]:
    """Make one page for each board that shows any report."""
    return tuple(
        later(figures_path(board), "figures.html", partial(_document, site, board))
        for board in site.boards
        if board.entries
    )


def _document(site: Site, board: Board) -> Document:
    path, complete = figures_path(board), tuple(entry for entry in board.entries if entry.complete)
    return page(
        site,
        path,
        "figures.html",
        title="Figures",
        description=f"{board.benchmark.title}, drawn: the same numbers as in its tables.",
        board=board,
        crumbs=(Link("Figures", path),),
        forest=metric_forest(board, board.benchmark.metric(board.benchmark.primary), complete),
        drawn=_first(DRAWN, len(complete)),
        metrics=tuple(Link(metric.title, metric_path(board, metric.id)) for metric in metrics_shown(board)),
        over_time=over_time(board),
        records=records_path(board),
        pairs=_pairs(board),
        pairs_note=_first(MATRIX_AT_MOST, len(board.standings)),
        bars=_bars(board),
        bars_note=_first(BARS_AT_MOST, len(board.entries)),
        recipe=recipe(board),
    )


def _first(drawn: int, whole: int) -> str:
    return "" if whole <= drawn else f"The first {numerals.count(drawn)} of {numerals.count(whole)} methods."


def _pairs(board: Board) -> Figure | None:
    """Draw which methods are told apart, as the letters say; None where they were simplified, or nothing is ranked."""
    if board.ranking is None or not ranked(board) or not board.ranking.exact_letters:
        return None
    entries = [entry for entry in board.entries if entry.method in board.standings][:MATRIX_AT_MOST]
    outcomes = [[_outcome(board, row, column) for column in entries] for row in entries]
    name = f"Which methods can be told apart: {board.benchmark.title}"
    return matrix("pairs", name, [entry.report.method.title for entry in entries], outcomes)


def _outcome(board: Board, row: Entry, column: Entry) -> Outcome | None:
    if row.method == column.method:
        return None
    if not separated(board.standings[row.method].letters, board.standings[column.method].letters):
        return "open"
    metric = board.benchmark.metric(board.benchmark.primary)
    mine, theirs = row.estimates[metric.id].value, column.estimates[metric.id].value
    if mine is None or theirs is None:
        return "open"
    return "better" if metric.sign * mine > metric.sign * theirs else "worse"


def _bars(board: Board) -> Figure | None:
    entries = board.entries[:BARS_AT_MOST]
    return statuses(
        "statuses",
        f"How every sample of {board.benchmark.title} ended",
        "A bar for each method: scored, abstained, unresolved, pending, missing and invalid samples, in that order.",
        [(entry.report.method.title, entry.ledger) for entry in entries],
    )


PAGE = PageType("figures", "The figures of a board, each with a file for papers.", documents)
