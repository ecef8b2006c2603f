"""Strict CSV (RFC 4180): every cell is text, and `NA`, `None` and `1.0` stay as they are written."""

from __future__ import annotations

import csv
import io

from tallystick.errors import Problem, Refusal
from tallystick.strict.plain import capped, text


def csv_rows(content: bytes, where: str, first: str = "") -> tuple[dict[str, str], ...]:
    """Parse a CSV file with a header into rows of text; raise Refusal with the problems of all rows.

    Blank lines are skipped; an empty cell is empty text. `first` names a first column without a name, which is refused
    where that is empty.
    """
    reader = csv.reader(io.StringIO(text(content, where), newline=""), strict=True)
    rows: list[dict[str, str]] = []
    problems: list[Problem] = []
    header: list[str] = []
    try:
        header = next(reader)
        if header and not header[0].strip():
            header[0] = first
        problems += _header(header, where)
        for cells in reader:
            if len(cells) == len(header):
                rows.append(dict(zip(header, cells, strict=True)))
            elif cells:
                place = f"{where} line {reader.line_num}"
                remedy = "Give every row the cells of the header; quote cells that hold a comma."
                problems.append(
                    Problem("csv-ragged", place, f"as many cells as the header, {len(header)}", f"{len(cells)}", remedy)
                )
    except csv.Error as error:
        place = f"{where} line {reader.line_num}"
        problems.append(Problem("csv-syntax", place, "CSV", str(error), "Write the file with a CSV library."))
    if problems:
        raise Refusal(capped(problems))
    return tuple(rows)


def _header(header: list[str], where: str) -> list[Problem]:
    place = f"{where} line 1"
    problems = [
        Problem("csv-header", place, "each column once", f'the column "{name}" twice', "Rename or remove one.")
        for name in sorted({name for name in header if header.count(name) > 1})
    ]
    if not all(name.strip() for name in header):
        problems.append(Problem("csv-header", place, "a name for each column", "a column without one", "Name it."))
    return problems
