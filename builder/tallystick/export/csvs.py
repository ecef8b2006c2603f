"""Write a table as CSV: exact values under the column's id, and beside them what was shown, the ends and the reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tallystick.export.origin import Origin, columns_of, is_exact, shown
from tallystick.inert import csv_lines, for_csv
from tallystick.numerals import exact
from tallystick.table import Cell, Column, Table


def as_csv(table: Table, origin: Origin) -> bytes:
    """Return RFC 4180 CSV in UTF-8, a column of exact values for each column that has any.

    `<id>_shown` is the text on the page, `<id>_lower` and `<id>_upper` are exact ends, `<id>_note` is the reason
    behind a cell; each is there only where a row has it. An undefined value is an empty cell.
    """
    made = [part for column, cells in columns_of(table) for part in _parts(column, cells)]
    if origin.diagnostic:
        made.append(("diagnostic", [for_csv(origin.diagnostic)] * len(table.rows)))
    return csv_lines([[name for name, _ in made], *zip(*(values for _, values in made), strict=True)])


def _parts(column: Column, cells: Sequence[Cell]) -> Iterator[tuple[str, list[str]]]:
    name = for_csv(column.id)
    texts = [for_csv(shown(cell)) for cell in cells]
    ranged = any(cell.ends for cell in cells)
    if is_exact(cells) and not (ranged and column.kind == "range"):
        values = [_exact(cell.value) for cell in cells]
        yield name, values
        if values != texts:
            yield f"{name}_shown", texts
    elif ranged:
        yield f"{name}_shown", texts
    else:
        yield name, texts
    if ranged:
        yield f"{name}_lower", [exact(cell.ends[0]) if cell.ends else "" for cell in cells]
        yield f"{name}_upper", [exact(cell.ends[1]) if cell.ends else "" for cell in cells]
    if any(cell.note for cell in cells):
        yield f"{name}_note", [for_csv(cell.note) for cell in cells]


def _exact(value: float | int | str | None) -> str:
    return for_csv(value) if isinstance(value, str) else exact(value)
