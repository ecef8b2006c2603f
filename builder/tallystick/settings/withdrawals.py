"""Read the files by which a maintainer takes a report back: `results/<benchmark>/withdrawn/<method>.yaml`."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from pydantic import Field

from tallystick.board import Withdrawal
from tallystick.errors import Problem, SettingsError
from tallystick.settings.content import read_settings
from tallystick.settings.mistakes import validated
from tallystick.settings.schema import Day, Shape, Text
from tallystick.strict import yaml_document
from tallystick.strict.names import id_problem


class WithdrawalShape(Shape):
    """A report that was taken back."""

    reason: Text = Field(description="Why, in words that the site shows.")
    date: Day = Field(description="When, YYYY-MM-DD.")
    title: str = Field("", description="What the method is called, once its report is no longer there.")


def load_withdrawals(root: Path, benchmark: str) -> tuple[Withdrawal, ...]:
    """Return the withdrawals of a benchmark by method; raise SettingsError with the mistakes of all."""
    found: list[Withdrawal] = []
    problems: list[Problem] = []
    for file in sorted((root / "results" / benchmark / "withdrawn").glob("[!.]*")):
        try:
            found.append(_withdrawal(root, f"results/{benchmark}/withdrawn/{file.name}", file))
        except SettingsError as error:
            problems += error.problems
    if problems:
        raise SettingsError(problems)
    return tuple(found)


def _withdrawal(root: Path, where: str, file: Path) -> Withdrawal:
    if file.suffix != ".yaml":
        raise SettingsError([Problem("withdrawal-name", where, "<method>.yaml", file.name, "Rename it.")])
    if problem := id_problem(file.stem, where):
        raise SettingsError([problem])
    document = yaml_document(read_settings(root, where), where)
    shape = validated(WithdrawalShape, document.value, document)
    return Withdrawal(file.stem, shape.reason, date.fromisoformat(shape.date), shape.title or file.stem)
