"""Which documents a finding speaks of: its population, and the two arms that it compares."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tallystick.model import BoolArray
from tallystick.protocols._textinsight_corpus import Corpus
from tallystick.protocols._textinsight_gates import COMPOUND
from tallystick.protocols._textinsight_submission import REMEDY, Asked, Submitted, exactly
from tallystick.strict import Node, describe

Arms: TypeAlias = npt.NDArray[np.int8]
FILTERS = 3
VALUES = 20
OPERATIONS = ("eq", "in", "gte", "lte")


@dataclass(frozen=True, slots=True)
class Scope:
    """`population` (n,) says which documents of the corpus; `arms` (n,) is 0 or 1, −1 outside both or outside it."""

    population: BoolArray
    arms: Arms

    def arm(self, number: int) -> BoolArray:
        """Return which documents are of an arm."""
        return np.equal(self.arms, number)


def scope(finding: Submitted, task: Asked, corpus: Corpus) -> Scope | None:
    """Return a finding's scope; note what breaks a rule, and return None where that leaves no scope."""
    node, name = finding.node, finding.name
    before = len(node.problems)
    population = np.ones(len(corpus), dtype=np.bool_)
    if task.discovery:
        population = _population(node, task, corpus, name)
    arms = np.full(len(corpus), -1, dtype=np.int8)
    for number, members in enumerate(_arms(node, task, corpus, name)):
        arms[members & population] = number
    if len(node.problems) > before:
        return None
    found = Scope(population, arms)
    _check_sizes(found, node, task, name)
    return found


def _check_sizes(found: Scope, node: Node, task: Asked, name: str) -> None:
    if not task.discovery:
        return
    least, total = int(task.row.get("min_population_n", 0)), int(found.population.sum())
    if total < least:
        expected = f"{name}: a population of at least {least} documents"
        node.refuse("/population", "population-small", expected, str(total), REMEDY)
    least = int(task.row.get("min_group_n", 0))
    sizes = [int(found.arm(number).sum()) for number in (0, 1)]
    if task.kind != COMPOUND and min(sizes) < least:
        expected = f"{name}: arms of at least {least} documents each"
        node.refuse("/comparison", "arm-small", expected, f"{sizes[0]} and {sizes[1]}", REMEDY)


# --- population -------------------------------------------------------------------------------------------------------


def _population(node: Node, task: Asked, corpus: Corpus, name: str) -> BoolArray:
    chosen = np.ones(len(corpus), dtype=np.bool_)
    exactly(node, "/population", {"filters"}, name)
    filters = node.sequence("/population/filters")
    if len(filters) > FILTERS:
        expected = f"{name}: at most {FILTERS} filters"
        node.refuse("/population/filters", "population-filters", expected, str(len(filters)), REMEDY)
    for child in node.children("/population/filters"):
        before = len(node.problems)
        _check_filter(child, task, name)
        if len(node.problems) == before:
            chosen &= _matching(child.value, corpus)
    return chosen


def _check_filter(node: Node, task: Asked, name: str) -> None:
    exactly(node, "", {"field", "op", "value"}, name)
    allowed = task.row.get("allowed_metadata_fields", ())
    field, operation, value = node.text("/field"), node.text("/op"), node.get("/value")
    if field not in allowed:
        expected = f"{name}: a field of {', '.join(allowed)}"
        node.refuse("/field", "population-field", expected, describe(node.get("/field")), REMEDY)
    if operation not in OPERATIONS:
        expected = f"{name}: an op of {', '.join(OPERATIONS)}"
        node.refuse("/op", "population-operation", expected, describe(node.get("/op")), REMEDY)
    values = value if operation == "in" else [value]
    if not _scalars(values):
        expected = f"{name}: {f'1 to {VALUES} finite scalars' if operation == 'in' else 'a finite scalar'}"
        node.refuse("/value", "population-value", expected, describe(value), REMEDY)


def _scalars(values: object) -> bool:
    return isinstance(values, list) and 1 <= len(values) <= VALUES and all(map(_is_scalar, values))


def _is_scalar(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    return isinstance(value, str) or math.isfinite(value)


def _matching(rule: Mapping[str, Any], corpus: Corpus) -> BoolArray:
    """Return which documents match a filter; a missing value never does, nor text compared with a number."""
    target, operation = rule["value"], rule["op"]

    def holds(value: Any) -> bool:  # noqa: ANN401 - any JSON scalar
        if operation == "in":
            return value in target
        if operation == "eq":
            return bool(value == target)
        if isinstance(value, str) != isinstance(target, str):
            return False
        return bool(value >= target if operation == "gte" else value <= target)

    return corpus.where(rule["field"], holds)


# --- comparison -------------------------------------------------------------------------------------------------------


def _arms(node: Node, task: Asked, corpus: Corpus, name: str) -> Sequence[BoolArray]:
    """Return the documents of each arm, in and outside the population; none for a compound association."""
    if task.kind == COMPOUND:
        if task.discovery and node.get("/comparison") is not None:
            expected = f"{name}: comparison null, as a compound association has none"
            node.refuse("/comparison", "comparison-unexpected", expected, describe(node.get("/comparison")), REMEDY)
        return ()
    if task.kind == "temporal_change":
        return _by_time(node, task, corpus, name)
    return _by_groups(node, task, corpus, name)


def _by_time(node: Node, task: Asked, corpus: Corpus, name: str) -> Sequence[BoolArray]:
    written = task.row.get("comparison", {}).get("cutoff")
    if task.discovery:
        exactly(node, "/comparison", {"field", "cutoff"}, name)
        if node.text("/comparison/field") != "timestamp":
            expected = f"{name}: the field timestamp"
            found = describe(node.get("/comparison/field"))
            node.refuse("/comparison/field", "comparison-field", expected, found, REMEDY)
        written = node.get("/comparison/cutoff")
    cutoff = _calendar_day(written)
    if cutoff is None:
        expected = f"{name}: a cutoff, YYYY-MM-DD"
        node.refuse("/comparison/cutoff", "comparison-cutoff", expected, describe(written), REMEDY)
        return ()
    before = np.array([day is not None and day < cutoff for day in corpus.days], dtype=np.bool_)
    after = np.array([day is not None and day >= cutoff for day in corpus.days], dtype=np.bool_)
    return before, after


def _calendar_day(written: object) -> date | None:
    try:
        day = date.fromisoformat(written) if isinstance(written, str) else None
    except ValueError:
        return None
    return day if day is not None and day.isoformat() == written else None


def _by_groups(node: Node, task: Asked, corpus: Corpus, name: str) -> Sequence[BoolArray]:
    if not task.discovery:
        comparison = task.row.get("comparison", {})
        groups = [[value] for value in comparison.get("groups", ())]
        return [corpus.where(str(comparison.get("field")), group.__contains__) for group in groups]
    exactly(node, "/comparison", {"field", "groups"}, name)
    field, groups = node.text("/comparison/field"), node.get("/comparison/groups")
    allowed = [key for key in task.row.get("allowed_metadata_fields", ()) if key != "timestamp"]
    if field not in allowed:
        expected = f"{name}: a field of {', '.join(allowed)}"
        node.refuse("/comparison/field", "comparison-field", expected, describe(field), REMEDY)
    if not (isinstance(groups, list) and len(groups) == 2 and all(map(_scalars, groups))):
        expected = f"{name}: two lists of 1 to {VALUES} finite values"
        node.refuse("/comparison/groups", "comparison-groups", expected, describe(groups), REMEDY)
        return ()
    first, second = groups
    if len(set(first)) < len(first) or len(set(second)) < len(second) or set(first) & set(second):
        expected = f"{name}: distinct values, and none in both groups"
        node.refuse("/comparison/groups", "comparison-groups", expected, f"{first} and {second}", REMEDY)
    return [corpus.where(field, group.__contains__) for group in groups] if field in allowed else ()
