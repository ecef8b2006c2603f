"""How a report is added to a board: which files, what the board accepts, and how to check before sending."""

from __future__ import annotations

import json
from collections.abc import Iterable

from tallystick import numerals
from tallystick.board import Board, Document, Link, PageType, Site
from tallystick.model import COMPONENTS, Metric, Varying
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
        pinned=_pinned(board),
        scored_fields=_fields(bench.metrics),
        other_fields=_fields(metric for metric in bench.metrics if metric.over == "all"),
    )


def _pinned(board: Board) -> dict[str, str]:
    """Return what a report must state of each component, as JSON; a mark to fill in where it varies by method."""
    found = {component: getattr(board.benchmark.fingerprint, component) for component in COMPONENTS}
    return {
        name: json.dumps("…" if isinstance(value, Varying) else value, ensure_ascii=False)
        for name, value in found.items()
    }


def _fields(metrics: Iterable[Metric]) -> list[str]:
    """Return the fields of a sample, as JSON, that metrics take their values from; a status is stated anyway."""
    names = [name for metric in metrics for statistic, name in metric.fields.items() if statistic != "status"]
    return [json.dumps(name, ensure_ascii=False) for name in dict.fromkeys(names)]


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
