"""The audit page of a board: what was refused, could not be read, is diagnostic or was withdrawn, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from tallystick import numerals
from tallystick.board import Board, Document, Entry, Link, PageType, Site, Withdrawal
from tallystick.errors import Problem
from tallystick.model import Unread
from tallystick.pages._frame import audit_path, entries_with_pages, gone, later, method_path, page, report_anchor
from tallystick.pages._words import stated_table, tally
from tallystick.table import Table

SECTIONS = (
    ("refused", "Refused", "These reports break a rule of the board. None of their numbers is compared or ranked."),
    ("unread", "Not readable", "These files could not be read as reports."),
    ("diagnostic", "Diagnostic", "These reports can be computed, but they are no publication evidence."),
    ("withdrawn", "Withdrawn", "These reports were taken back. They stay listed, with the reason."),
)
DIFFERING_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Case:
    """A report that was set aside: `page` is the path of its own page, if it has one."""

    anchor: str
    title: str
    path: str
    page: str | None
    problems: tuple[Problem, ...]
    tally: tuple[tuple[str, str], ...]
    differing: Table | None


@dataclass(frozen=True, slots=True)
class Section:
    """All cases of one kind."""

    id: str
    title: str
    explanation: str
    count: str
    cases: tuple[Case, ...]


def documents(site: Site) -> tuple[Document, ...]:
    """Make one page for each board."""
    return tuple(later(audit_path(board), "audit.html", partial(_document, site, board)) for board in site.boards)


def _document(site: Site, board: Board) -> Document:
    path = audit_path(board)
    sections = tuple(_section(board, *section) for section in SECTIONS)
    return page(
        site,
        path,
        "audit.html",
        title=f"Audit of {board.benchmark.title}",
        description=f"Reports of {board.benchmark.title} that were refused or set aside, with every problem.",
        board=board,
        crumbs=(Link("Audit", path),),
        groups=sections,
        verification=_verification(board, sections),
        tally=tally(board.entries),
        accepts=board.benchmark.accepts,
        notes=board.notes,
    )


def _verification(board: Board, sections: Sequence[Section]) -> tuple[tuple[str, str | Link], ...]:
    """Count what became of every report, each kind that has cases with the way to them."""
    said: list[tuple[str, str | Link]] = [(numerals.count(len(board.entries)), "shown")]
    for one in sections:
        what = one.title.lower()
        said.append((one.count, Link(what, f"{audit_path(board)}#{one.id}") if one.cases else what))
    return tuple(said)


def _section(board: Board, kind: str, title: str, explanation: str) -> Section:
    if kind == "unread":
        cases = tuple(_unread(unread) for unread in board.unread)
    else:
        apart = (*board.refused, *board.diagnostic)
        cases = tuple(_case(board, entry) for entry in apart if entry.outcome == kind)
    if kind == "withdrawn":
        cases += tuple(_tombstone(board, one) for one in gone(board))
    return Section(kind, title, explanation, numerals.count(len(cases)), cases)


def _case(board: Board, entry: Entry) -> Case:
    anchor = report_anchor(entry.report.path, entry.method)
    differing = [found for found in entry.reconciliations if found.verdict == "differs"][:DIFFERING_SHOWN]
    return Case(
        anchor=anchor,
        title=entry.report.method.title,
        path=entry.report.path,
        page=_page(board, entry.method, entries_with_pages(board).get(entry.method) is entry),
        problems=entry.problems,
        tally=tally((entry,)),
        differing=stated_table(f"{anchor}-differing", "Stated numbers that differ", differing) if differing else None,
    )


def _tombstone(board: Board, one: Withdrawal) -> Case:
    """Keep the place of a report that was withdrawn and is no longer there."""
    anchor = report_anchor(one.path, one.method)
    return Case(anchor, one.title, one.path, _page(board, one.method), (one.problem(one.path),), (), None)


def _page(board: Board, method: str, shown: bool = False) -> str | None:
    """Return the page of a report that is shown, or the one that says that it was withdrawn."""
    withdrawn = method not in entries_with_pages(board) and any(one.method == method for one in board.withdrawn)
    return method_path(board, method) if shown or withdrawn else None


def _unread(unread: Unread) -> Case:
    anchor = report_anchor(unread.path, unread.method)
    return Case(anchor, unread.method or unread.path, unread.path, None, unread.problems, (), None)


PAGE = PageType("audit", "The audit of a board: what was set aside, with every problem.", documents)
