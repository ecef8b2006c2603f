"""Write tables as JSON in the documented, versioned form `tallystick-table/1`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tallystick.export.origin import Origin, columns_of
from tallystick.inert import plain
from tallystick.table import Cell, Column, Table

FORMAT = "tallystick-table/1"
FORMAT_OF_PAGE = "tallystick-tables/1"


def as_json(table: Table, origin: Origin) -> bytes:
    """Return one table as a JSON object."""
    return _bytes({"format": FORMAT, **_origin(origin), **_table(table)})


def as_json_of_page(tables: Iterable[Table], origin: Origin) -> bytes:
    """Return every table of a page as one JSON object."""
    return _bytes({"format": FORMAT_OF_PAGE, **_origin(origin), "tables": [_table(table) for table in tables]})


def _bytes(value: dict[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")) + "\n").encode("ascii")


def _origin(origin: Origin) -> dict[str, Any]:
    return {
        "page": {"path": origin.path, "url": origin.url, "title": plain(origin.title)},
        "diagnostic": plain(origin.diagnostic) if origin.diagnostic else None,
        "recipe": plain(origin.recipe),
        "tool": origin.tool,
    }


def _table(table: Table) -> dict[str, Any]:
    columns = columns_of(table)
    return {
        "id": table.id,
        "caption": plain(table.caption),
        "columns": [_column(column) for column, _ in columns],
        "rows": [
            {"id": row.id, "cells": [_cell(cells[index]) for _, cells in columns]}
            for index, row in enumerate(table.rows)
        ],
        "notes": [plain(note) for note in table.notes],
    }


def _column(column: Column) -> dict[str, str]:
    return {
        "id": plain(column.id),
        "title": plain(column.title),
        "kind": column.kind,
        "hint": plain(column.hint),
        "group": plain(column.group),
    }


def _cell(cell: Cell) -> dict[str, Any]:
    """Write a cell; `detail`, `ends` and `note` only where it has them."""
    value = plain(cell.value) if isinstance(cell.value, str) else cell.value
    written: dict[str, Any] = {"text": plain(cell.text), "value": value}
    if cell.detail:
        written["detail"] = plain(cell.detail)
    if cell.ends is not None:
        written["ends"] = list(cell.ends)
    if cell.note:
        written["note"] = plain(cell.note)
    return written
