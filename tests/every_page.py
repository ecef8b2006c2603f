"""A made-up site with a page of every type, and those of its pages that must be looked at so that none is left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import board_made
import findings_made
import synthetic
from tallystick import pages
from tallystick.board import Board, Document, PageType, Site
from tallystick.export import export_page
from tallystick.freeze import freeze
from tallystick.model import Showing
from tallystick.pipeline import check, compute, computed
from tallystick.registry import collect
from tallystick.render import render

NOW = datetime(2026, 12, 1, tzinfo=UTC)
ROWS = 1000
FURTHER = (
    "pilot/index.html",  # diagnostic
    "far/methods/far.html",  # with findings
    "far/methods/halfway.html",  # set aside
    "long/index.html",
    "long/metrics/accuracy.html",
    "made/audit.html",  # with a tombstone
)
"""Pages whose type shows something on them that it does not show on its first page."""


def silent(_: str) -> None:
    pass


def long_board() -> Board:
    """Return a board of so many methods that its long tables have pages of their own."""
    made = synthetic.board("long")
    first = made.entries[0]
    clones = tuple(
        replace(
            first, report=replace(first.report, method=replace(first.report.method, id=f"m{place}", title=f"M {place}"))
        )
        for place in range(ROWS - len(made.entries))
    )
    standings = made.standings | {one.method: replace(made.standings["far"], method=one.method) for one in clones}
    benchmark = replace(made.benchmark, title="A long board", showing=Showing(sample_pages=0))
    return replace(made, benchmark=benchmark, entries=(*made.entries, *clones), standings=standings)


def frozen_boards(root: Path) -> tuple[Board, ...]:
    """Return a board with a table that it left behind, one that it still shows, and a report that was withdrawn."""
    board_made.make(root)
    for method in ("delta", None):
        checked = check(root, NOW, silent)
        (docket,) = checked.dockets
        freeze(
            root, compute(docket), checked.frozen.get("made", ()), computed(checked, root, silent).settings, NOW, "why"
        )
        if method:
            board_made.report(root, method, "Delta", 0)
            (root / "results/made/withdrawn").mkdir()
            (root / "results/made/withdrawn/alpha.yaml").write_text("reason: It saw the answers.\ndate: 2026-12-02\n")
    return computed(check(root, NOW, silent), root, silent).boards


def site(root: Path) -> Site:
    """Return the whole site; `root` is an empty folder for the board that is frozen."""
    made = synthetic.site()
    _, pilot = made.boards
    return replace(made, boards=(findings_made.board(), pilot, long_board(), *frozen_boards(root)))


def page_types() -> tuple[PageType, ...]:
    """Return every page type of the program."""
    return collect(pages, "PAGE", PageType)


def looked_at(made: Site) -> Iterator[tuple[str, Document]]:
    """Give, with the id of its type, one page of each type and template, and those that show more."""
    for page_type in page_types():
        seen = set()
        for one in page_type.documents(made):
            if isinstance(one, Document) and one.path.endswith(".html"):
                if one.template not in seen or one.path in FURTHER:
                    yield page_type.id, one
                seen.add(one.template)


def write(made: Site, out: Path) -> tuple[str, ...]:
    """Write the pages to look at below `out` and return their paths."""
    chosen = [export_page(one, frozenset())[0] for _, one in looked_at(made)]
    for file in render([one for one in chosen if isinstance(one, Document)]):
        place = out / file.path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.content)
    return tuple(one.path for one in chosen)
