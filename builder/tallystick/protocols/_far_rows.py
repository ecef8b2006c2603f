"""Read the rows of a FAR scores file: typed, one method, a column of statistics for every metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallystick.errors import Problem, some
from tallystick.model import BoolArray, Column, FloatArray
from tallystick.strict import describe

_REMEDY = "Write the scores with the evaluator; do not edit them."
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one scores file, in file order; `where` names it."""

    rows: tuple[Mapping[str, Any], ...]
    where: str
    problems: list[Problem]

    def texts(self, field: str) -> tuple[str, ...]:
        """Return a text of every row."""
        return self._read(field, (str,), "text in every row", "")

    def texts_or_none(self, field: str) -> tuple[str | None, ...]:
        """Return a text or null of every row."""
        return self._read(field, (str, type(None)), "text or null in every row", None)

    def numbers(self, field: str) -> tuple[float | None, ...]:
        """Return a number or null of every row."""
        return self._read(field, (int, float, type(None)), "a number or null in every row", None)

    def flags(self, field: str) -> tuple[bool, ...]:
        """Return true or false of every row."""
        return self._read(field, (bool,), "true or false in every row", False)

    def has(self, field: str) -> bool:
        """Say whether rows have the field; a problem where only some do."""
        having = sum(field in row for row in self.rows)
        if 0 < having < len(self.rows):
            found = f"{field} in {having} of {len(self.rows)} rows"
            self.problems.append(Problem("layout-mixed", self.where, "one layout of rows", found, _REMEDY))
        return having == len(self.rows) > 0

    def one_method(self, method: object) -> None:
        """Require the report's method in every row."""
        if others := sorted(set(self.texts("method")) - {str(method)}):
            found = f"method name that differs between report and rows: {some(others)}"
            self.problems.append(
                Problem("method-disagrees", self.where, f"the report's method {method} in every row", found, _REMEDY)
            )

    def _read(self, field: str, kinds: tuple[type, ...], expected: str, neutral: Any) -> tuple[Any, ...]:  # noqa: ANN401
        """Collect a field; a boolean is a number to Python, so types are compared exactly."""
        values = [row.get(field, _ABSENT) for row in self.rows]
        wrong = [index for index, value in enumerate(values) if type(value) not in kinds]
        if wrong:
            first = values[wrong[0]]
            told = "nothing" if first is _ABSENT else describe(first)
            found = f"{told} in {self.rows[wrong[0]].get('sample_id')}, one of {len(wrong)} such rows"
            self.problems.append(Problem("wrong-type", f"{self.where} {field}", expected, found, _REMEDY))
            values = [neutral if type(value) not in kinds else value for value in values]
        return tuple(values)


def column(values: Sequence[float | None]) -> Column:
    """Return the column of a mean metric: one statistic, the value, where there is one."""
    defined = np.array([value is not None for value in values], dtype=bool)
    statistics = np.array([0.0 if value is None else value for value in values], dtype=np.float64)
    return _frozen(statistics[:, None], defined, "mean")


def counted(
    true_positives: Sequence[float], predicted: Sequence[float], gold: Sequence[float], defined: Sequence[bool]
) -> Column:
    """Return the column of a micro F1: true positives, predicted and gold of each row."""
    known = np.array(defined, dtype=bool)
    statistics = np.array([true_positives, predicted, gold], dtype=np.float64).T.reshape(-1, 3)
    return _frozen(np.where(known[:, None], statistics, 0.0), known, "micro_f1")


def _frozen(statistics: FloatArray, defined: BoolArray, kind: str) -> Column:
    statistics.flags.writeable = False
    defined.flags.writeable = False
    return Column(statistics, defined, kind)
