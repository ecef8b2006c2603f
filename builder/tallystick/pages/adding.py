"""How a report is added to a board: which files, what the board accepts, and how to check before sending."""

from __future__ import annotations

from tallystick import numerals
from tallystick.board import Board, Document, Link, PageType, Site
from tallystick.model import COMPONENTS, Varying
from tallystick.pages._frame import adding_path, page
from tallystick.schemas import file_name
from tallystick.table import Cell, Column, Row, Table


def documents(site: Site) -> tuple[Document, ...]:
    """Make one page for each board."""
    return tuple(_document(site, board) for board in site.boards)


def _document(site: Site, board: Board) -> Document:
    path, bench = adding_path(board), board.benchmark
    return page(
        site,
        path,
        "add.html",
        title="Add a report",
        description=f"How to add a report to {bench.title}.",
        board=board,
        crumbs=(Link("Add a report", path),),
        benchmark=bench.id,
        protocol=bench.protocol,
        native=bench.protocol == "native",
        report_schema=file_name("report"),
        samples=numerals.count(len(bench.samples.ids)),
        samples_path=bench.samples.path,
        samples_digest=bench.samples.digest,
        fingerprint=_fingerprint(board),
    )


def _fingerprint(board: Board) -> Table:
    rows = []
    for component in COMPONENTS:
        pinned = getattr(board.benchmark.fingerprint, component)
        if isinstance(pinned, Varying):
            accepted = Cell("any value: varies by method", detail=pinned.reason)
        else:
            accepted = Cell(pinned or "none", pinned)
        rows.append(Row("", (Cell(component.capitalize(), component), accepted)))
    columns = (Column("component", "Component", "header"), Column("value", "Accepted value", "code"))
    return Table("fingerprint", "Fingerprint that this board accepts", columns, tuple(rows))


PAGE = PageType("adding", "How a report is added to a board.", documents)
