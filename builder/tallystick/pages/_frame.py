"""What every page has: where it lies, its title, its way back, and what must be said on all pages of a board."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tallystick import __version__
from tallystick.board import Board, Deferred, Document, Entry, Link, Site, Withdrawal
from tallystick.digest import sha256

LARGE = 150
"""Methods up to which everything about a board stands on one page."""


def board_path(board: Board) -> str:
    """Return where a board's own page lies."""
    return f"{board.benchmark.id}/index.html"


def audit_path(board: Board) -> str:
    """Return where a board's audit page lies."""
    return f"{board.benchmark.id}/audit.html"


def computation_path(board: Board) -> str:
    """Return where it is explained how a board's numbers are computed."""
    return f"{board.benchmark.id}/computation.html"


def adding_path(board: Board) -> str:
    """Return where it is explained how a report is added to a board."""
    return f"{board.benchmark.id}/add.html"


def metric_path(board: Board, metric: str) -> str:
    """Return where the page of a metric lies."""
    return f"{board.benchmark.id}/metrics/{metric}.html"


def figures_path(board: Board) -> str:
    """Return where the figures of a board lie."""
    return f"{board.benchmark.id}/figures.html"


def is_large(board: Board) -> bool:
    """Say whether a board has so many methods that its long tables have pages of their own."""
    return len(board.entries) > LARGE


def long_path(board: Board, name: str) -> str:
    """Return where a long table of a large board lies."""
    return f"{board.benchmark.id}/{name}.html"


def records_path(board: Board) -> str:
    """Return where the records of a board over time lie."""
    return f"{board.benchmark.id}/records.html"


def method_path(board: Board, method: str) -> str:
    """Return where the page of a method lies."""
    return f"{board.benchmark.id}/methods/{method}.html"


def comparison_path(board: Board, baseline: str, candidate: str) -> str:
    """Return where the page of a pair lies; a folder per baseline, so that no two pairs can share a name."""
    return f"{board.benchmark.id}/compare/{baseline}/{candidate}.html"


def frozen_path(digest: str) -> str:
    """Return where the permanent page of a frozen table lies."""
    return f"t/{digest}/index.html"


def citation(board: Board) -> Link:
    """Return where a board is cited: the frozen table that still is the live one, or what cites the live board."""
    for table in board.frozen:
        if table.current:
            return Link("permanent link", frozen_path(table.digest))
    return Link("BibTeX of this board", f"{board.benchmark.id}/citation.bib")


def report_anchor(path: str, method: str | None) -> str:
    """Return the anchor of a report on the audit page: a digest, since what it calls itself may be anything."""
    return f"report-{sha256(f'{path} {method}'.encode('utf-8', 'replace'))[:12]}"


def picture_path(board: Board) -> str:
    """Return where the picture of a board for link previews lies; "" for one that has none.

    A diagnostic board has none, for a picture without text could not say so.
    """
    drawn = board.benchmark.diagnostic is None and any(entry.complete for entry in board.entries)
    return f"{board.benchmark.id}/preview.png" if drawn else ""


def gone(board: Board) -> tuple[Withdrawal, ...]:
    """Return the withdrawals whose reports are no longer there."""
    there = {entry.method for entry in (*board.entries, *board.diagnostic, *board.refused)}
    return tuple(one for one in board.withdrawn if one.method not in there)


def entries_with_pages(board: Board) -> dict[str, Entry]:
    """Return the entries that have a page of their own, by method: those shown, then diagnostic ones of other ids."""
    shown = {entry.method: entry for entry in board.entries}
    return shown | {entry.method: entry for entry in reversed(board.diagnostic) if entry.method not in shown}


def samples_path(board: Board) -> str:
    """Return where all samples of a board are listed."""
    return f"{board.benchmark.id}/samples/index.html"


def have_pages(board: Board) -> bool:
    """Say whether the samples of a board are few enough for a page each."""
    return 0 < len(board.benchmark.samples.ids) <= board.benchmark.showing.sample_pages


def samples_section(board: Board) -> tuple[Link, ...]:
    """Return the way to the samples, where they have pages."""
    return (Link("Samples", samples_path(board)),) if have_pages(board) else ()


def later(path: str, template: str, make: Callable[[], Document]) -> Document:
    """Return a document whose content is made when it is first looked into."""
    return Document(path, template, Deferred(lambda: make().context))


def page(
    site: Site,
    path: str,
    template: str,
    *,
    title: str,
    description: str,
    board: Board | None = None,
    crumbs: tuple[Link, ...] = (),
    **context: Any,  # noqa: ANN401 - what a template shows is the business of the page and of the template
) -> Document:
    """Return a document with the context that every template may rely on."""
    trail: tuple[Link, ...] = (Link(site.settings.title, "index.html"),)
    sections: tuple[Link, ...] = ()
    if board is not None:
        trail += (Link(board.benchmark.title, board_path(board)),)
        sections = (
            Link("Results", board_path(board)),
            *((Link("Figures", figures_path(board)),) if board.entries else ()),
            *samples_section(board),
            Link("Audit", audit_path(board)),
            Link("Computation", computation_path(board)),
            Link("Data and citation", f"{board.benchmark.id}/data.html"),
            Link("Add a report", adding_path(board)),
        )
    common = {
        "title": title,
        "description": description,
        "site": site.settings,
        "menu": tuple(Link(prose.title, f"{prose.slug}.html") for prose in site.prose if prose.slug != "index"),
        "crumbs": trail + crumbs if path != "index.html" else (),
        "sections": sections,
        "diagnostic": board.benchmark.diagnostic if board is not None else None,
        "recipe": "",
        "exports": {},  # `export` fills it in, by the id of the table
        "cite": citation(board) if board is not None else None,
        "picture": picture_path(board) if board is not None else "",
        "tool": f"Tallystick {__version__}",
    }
    return Document(path, template, common | context)
