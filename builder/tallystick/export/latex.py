"""Write a table as a LaTeX tabular with booktabs rules: what is shown, to be put into a paper with `\\input`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tallystick.export.origin import Origin, columns_of
from tallystick.inert import NAMED_CHARACTER, for_latex, plain
from tallystick.table import Cell, Column, Table

_ALIGNED = {"number": "r"}


def as_latex(table: Table, origin: Origin) -> bytes:
    """Return a tabular and nothing else; where it comes from and the reasons behind cells stand in comments."""
    found = columns_of(table)
    columns = [column for column, _ in found]
    heads = [_comment(line) for line in _said(table, origin)]
    body = [_row([cells[index] for _, cells in found]) for index in range(len(table.rows))]
    lines = [
        rf"\begin{{tabular}}{{@{{}}{''.join(_ALIGNED.get(column.kind, 'l') for column in columns)}@{{}}}}",
        r"\toprule",
        *_groups(columns),
        " & ".join(for_latex(column.title) for column in columns) + r" \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        *_mark(origin, len(columns)),
        r"\end{tabular}",
    ]
    text = "\n".join(lines) + "\n"
    defined = [NAMED_CHARACTER] if r"\tallychar" in text else []
    return ("\n".join((*heads, *defined, text))).encode("utf-8")


def _said(table: Table, origin: Origin) -> list[str]:
    said = [
        f"{table.caption} | {origin.title} | {origin.url or origin.path}",
        "Needs \\usepackage{booktabs}.",
        origin.recipe,
    ]
    lines = (*said, *table.notes, *(f"Reason: {note}" for note in table.footnotes))
    return list(dict.fromkeys(filter(None, lines)))


def _comment(text: str) -> str:
    """Return a comment line: on one line, in ASCII, so that no engine and no encoding reads more than a comment."""
    return "% " + plain(text).encode("ascii", "backslashreplace").decode("ascii")


def _groups(columns: Sequence[Column]) -> list[str]:
    """Return the headings that several columns share, and the rules below them."""
    if not any(column.group for column in columns):
        return []
    cells, rules, place = [], [], 1
    for group, members in groupby(columns, key=lambda column: column.group):
        width = len(list(members))
        cells.append(rf"\multicolumn{{{width}}}{{c}}{{{for_latex(group)}}}" if group else "& " * (width - 1))
        if group:
            rules.append(rf"\cmidrule(lr){{{place}-{place + width - 1}}}")
        place += width
    return [" & ".join(cell.strip() for cell in cells) + r" \\", "".join(rules)]


def _row(cells: Sequence[Cell]) -> str:
    return " & ".join(map(_cell, cells)) + r" \\"


def _cell(cell: Cell) -> str:
    details = [for_latex(line) for line in cell.detail.split("\n") if line]
    return " ".join([for_latex(cell.text), *(rf"{{\footnotesize {detail}}}" for detail in details)]).strip() or "{}"


def _mark(origin: Origin, width: int) -> list[str]:
    """Return the line that a table without evidential value must not lose."""
    if not origin.diagnostic:
        return []
    words = for_latex(f"Diagnostic, no publication evidence: {origin.diagnostic}")
    return [rf"\multicolumn{{{width}}}{{@{{}}p{{\linewidth}}@{{}}}}{{\footnotesize {words}}} \\"]
