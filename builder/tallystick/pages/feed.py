"""An Atom feed of what became of every report: admitted, diagnostic, refused or withdrawn; and of frozen tables."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial

from tallystick.board import Board, Document, Entry, PageType, Site
from tallystick.pages._frame import (
    audit_path,
    entries_with_pages,
    frozen_path,
    gone,
    later,
    method_path,
    page,
    report_anchor,
)

FEED = "feed.xml"
NEWEST = 100
UNDATED = datetime(1970, 1, 1, tzinfo=UTC)
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "tallystick-feed/1")
"""Ids follow from what a report says, so that an entry is told once however often the site is built."""


@dataclass(frozen=True, slots=True)
class Item:
    """An entry: `updated` is when the run finished, as the site knows no other time of a report."""

    id: str
    title: str
    updated: str
    href: str
    summary: str


def documents(site: Site) -> tuple[Document, ...]:
    """Make the one feed of the site."""
    return (later(FEED, "feed.xml", partial(_document, site)),)


def _document(site: Site) -> Document:
    found = sorted(
        (item for board in site.boards for item in _items(board)),
        key=lambda item: (item.updated, item.id),
        reverse=True,
    )
    return page(
        site,
        FEED,
        "feed.xml",
        title=site.settings.title,
        description=site.settings.description,
        id=_id(site.settings.base_url or site.settings.title),
        updated=found[0].updated if found else _time(UNDATED),
        items=tuple(found[:NEWEST]),
        base=f"{site.settings.base_url}/" if site.settings.base_url else "",
    )


def _items(board: Board) -> Iterator[Item]:
    paged = entries_with_pages(board)
    title = board.benchmark.title
    withdrawn = {item.method: item for item in board.withdrawn}
    for entry in (*board.entries, *board.diagnostic, *board.refused):
        own = paged.get(entry.method) is entry
        anchor = f"{audit_path(board)}#{report_anchor(entry.report.path, entry.method)}"
        href = method_path(board, entry.method) if own else anchor
        taken_back = withdrawn.get(entry.method) if entry.outcome == "withdrawn" else None
        when = _midnight(taken_back.day) if taken_back else entry.report.run.finished or board.benchmark.created
        said = f"{entry.report.method.title} on {title}: {entry.outcome}"
        told = (board.benchmark.id, entry.report.sources[0].digest, entry.method, entry.outcome)
        key = _id(*told) if own else _id(*told, entry.report.path)  # copies of one report may be refused
        yield Item(key, said, _time(when), href, _summary(board, entry))
    for one in gone(board):
        href = f"{audit_path(board)}#{report_anchor(one.path, one.method)}"
        key = _id(board.benchmark.id, one.method, "withdrawn")
        yield Item(key, f"{one.title} on {title}: withdrawn", _time(_midnight(one.day)), href, one.reason)
    for unread in board.unread:
        href = f"{audit_path(board)}#{report_anchor(unread.path, unread.method)}"
        reason = str(unread.problems[0]) if unread.problems else ""
        key = _id(board.benchmark.id, unread.path, *filter(None, (unread.method,)), reason)
        yield Item(key, f"{unread.path} on {title}: not readable", _time(board.benchmark.created), href, reason)
    for table in board.frozen:
        day = _midnight(date.fromisoformat(table.document["frozen"]))
        yield Item(_id(table.digest), f"{title}: table frozen", _time(day), frozen_path(table.digest),
                   table.document["note"] or f"SHA-256 {table.digest}")  # fmt: skip


def _summary(board: Board, entry: Entry) -> str:
    mark = f"Diagnostic, no publication evidence: {board.benchmark.diagnostic}. " if board.benchmark.diagnostic else ""
    reasons = [str(problem) for problem in entry.problems if problem.effect != "note" or problem.code == "withdrawn"]
    return mark + (reasons[0] if reasons else "Every number was recomputed from the samples.")


def _id(*parts: str) -> str:
    said = " ".join(parts).encode("utf-8", "replace").decode()  # a message may quote what is no character
    return f"urn:uuid:{uuid.uuid5(NAMESPACE, said)}"


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _time(when: datetime | None) -> str:
    return (when or UNDATED).astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


PAGE = PageType("feed", "An Atom feed of admitted, refused and withdrawn reports and of frozen tables.", documents)
