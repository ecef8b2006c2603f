"""The record over time: which new tops were real, each tested against the top that it replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import groupby

from tallystick.board import RecordStep
from tallystick.significance import holm


@dataclass(frozen=True, slots=True)
class Dated:
    """A method's estimate, oriented so that larger is better, and when its run finished."""

    method: str
    finished: datetime
    value: float

    @property
    def day(self) -> date:
        """The day in UTC; a time without a zone is taken to be UTC."""
        return (self.finished if self.finished.tzinfo is None else self.finished.astimezone(UTC)).date()


def records(
    entries: Iterable[Dated], p_value: Callable[[str, str], float], confidence: float
) -> tuple[RecordStep, ...]:
    """Return every new top in order of days; `p_value(new, replaced)` tests two methods sample by sample.

    Reports of one day are one step: the best of them may replace the top, and which of them came first does not
    matter. Where equal tops replace or are replaced, the least certain pair speaks for the step. The p-values are
    adjusted over all steps (Holm 1979); a step is real where the adjusted one is at most 1 − confidence.
    """
    ordered = sorted(entries, key=lambda entry: (entry.day, entry.method))
    steps: list[RecordStep] = []
    for day, group in groupby(ordered, key=lambda entry: entry.day):
        best = _best(group)
        if not steps:
            steps.append(RecordStep(day, tuple(best), max(best.values())))
        elif max(best.values()) > steps[-1].value:
            old = steps[-1]
            p = max(p_value(new, replaced) for new in best for replaced in old.methods)
            value = max(best.values())
            steps.append(RecordStep(day, tuple(best), value, old.methods, value - old.value, p))
    adjusted = holm([step.p for step in steps[1:] if step.p is not None])
    tested = (
        replace(step, holm=own, real=own <= 1 - confidence + CLOSE)
        for step, own in zip(steps[1:], adjusted, strict=True)
    )
    return (*steps[:1], *tested)


CLOSE = 2.0**-40
"""1 − 0.95 is a little more than 0.05 in floats, 1 − 0.9 a little less than 0.1: neither may decide."""


def _best(entries: Iterable[Dated]) -> Mapping[str, float]:
    values = {entry.method: entry.value for entry in entries}
    top = max(values.values())
    return {method: value for method, value in values.items() if value == top}
