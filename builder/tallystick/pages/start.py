"""The start page: every board with its state of verification and its leading methods."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from tallystick import numerals
from tallystick.board import Board, Document, Entry, PageType, Site
from tallystick.pages import _estimates as cells
from tallystick.pages._forests import ForestRow, forest
from tallystick.pages._frame import board_path, later, page
from tallystick.pages._words import direction, level, ranked, tally
from tallystick.table import Figure

LEADING = 6


@dataclass(frozen=True, slots=True)
class Summary:
    """A board in a few lines. `facts` are (number, what) pairs; `caption` says what the figure shows."""

    id: str
    title: str
    href: str
    description: str
    diagnostic: str | None
    facts: tuple[tuple[str, str], ...]
    figure: Figure | None
    caption: str


def documents(site: Site) -> tuple[Document, ...]:
    """Make the one start page."""
    return (later("index.html", "start.html", partial(_document, site)),)


def _document(site: Site) -> Document:
    welcome = next((prose for prose in site.prose if prose.slug == "index"), None)
    return page(
        site,
        "index.html",
        "start.html",
        title=site.settings.title,
        description=site.settings.description,
        welcome=welcome.markdown if welcome else "",
        boards=tuple(_summary(board) for board in site.boards),
    )


def _summary(board: Board) -> Summary:
    bench = board.benchmark
    refused = len(board.refused) + len(board.unread) + len(board.diagnostic)
    facts = [
        (numerals.count(len(board.entries)), "methods"),
        (numerals.count(len(bench.samples.ids)), "samples"),
        (numerals.count(refused), "set aside"),
        *((stated, f"{what} checked") for stated, what in tally(board.entries)[:1]),
    ]
    leading = [entry for entry in board.entries if entry.complete][:LEADING]
    figure = _figure(board, leading) if bench.diagnostic is None else None
    return Summary(
        id=bench.id,
        title=bench.title,
        href=board_path(board),
        description=bench.description,
        diagnostic=bench.diagnostic,
        facts=tuple(facts),
        figure=figure,
        caption=_caption(board, len(leading)) if figure else "",
    )


def _caption(board: Board, shown: int) -> str:
    metric = board.benchmark.metric(board.benchmark.primary)
    complete = sum(entry.complete for entry in board.entries)
    first = (
        f"The first {numerals.count(shown)} of {numerals.count(complete)} complete reports"
        if shown < complete
        else "All complete reports"
    )
    order = "with the ranks that the data allow" if ranked(board) else "in order of their values, which is no ranking"
    return f"{first} by {metric.title} ({direction(metric)}), {order}; intervals at {level(board)} confidence."


def _figure(board: Board, entries: list[Entry]) -> Figure | None:
    metric = board.benchmark.metric(board.benchmark.primary)
    estimates = [entry.estimates.get(metric.id) for entry in entries]
    decimals = cells.places(estimates)
    rows = []
    for entry, estimate in zip(entries, estimates, strict=True):
        if estimate is None or estimate.value is None:
            continue
        standing = board.standings.get(entry.method)
        rank = f"  rank {numerals.ranks(standing.lower, standing.upper)}" if standing and ranked(board) else ""
        text = (
            f"{numerals.number(estimate.value, decimals)}  [{cells.interval_text(estimate.interval, decimals)}]{rank}"
        )
        rows.append(ForestRow(entry.report.method.title, "", estimate.value, estimate.interval, text))
    return forest(
        f"{board.benchmark.id}-plot",
        f"{board.benchmark.title}: {metric.title}",
        f"One line for each method: its value and its {level(board)} interval.",
        tuple(rows),
        line=None,
        within=(metric.lower, metric.upper),
    )


PAGE = PageType("start", "The start page: every board, its state of verification and its leading methods.", documents)
