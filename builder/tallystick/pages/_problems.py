"""Tables of problems: what was expected, what was found, what to do."""

from __future__ import annotations

from collections.abc import Iterable

from tallystick.errors import Problem
from tallystick.table import Cell, Column, Row, Table

EFFECTS = {"refuse": "refused", "diagnostic": "diagnostic", "note": "note"}


def problem_table(id_: str, caption: str, problems: Iterable[Problem]) -> Table:
    """Tabulate problems, one per row."""
    columns = (
        Column("where", "Where", "header"),
        Column("expected", "Expected", "text"),
        Column("found", "Found", "text"),
        Column("remedy", "Remedy", "text"),
        Column("code", "Code", "code"),
    )
    return Table(id_, caption, columns, tuple(_row(problem) for problem in problems))


def _row(problem: Problem) -> Row:
    code = Cell(problem.code, problem.code, tone=EFFECTS[problem.effect])
    return Row("", (Cell(problem.where), Cell(problem.expected), Cell(problem.found), Cell(problem.remedy), code))
