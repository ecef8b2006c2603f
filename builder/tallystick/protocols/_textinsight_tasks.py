"""The pinned `tasks.json` as the protocol uses it: tasks in file order, with what a report must agree with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tallystick.digest import compact_unicode, sha256
from tallystick.errors import Problem
from tallystick.model import Benchmark, Column
from tallystick.strict import Node

AXES = ("source", "kind")


class Tasks:
    """The tasks of a benchmark: rows by id, and the place of each in the file, which is the order of every sum."""

    def __init__(self, benchmark: Benchmark) -> None:
        samples = benchmark.samples
        positions = samples.positions or tuple(range(len(samples.ids)))
        self.digest = samples.digest
        self.path = samples.path
        self.rows: Mapping[str, Mapping[str, Any]] = dict(
            (samples.ids[index], samples.rows[index])
            for index in sorted(range(len(positions)), key=positions.__getitem__)
        )
        self.place = {task: place for place, task in enumerate(self.rows)}

    def sort_key(self, task: str) -> tuple[int, str]:
        """Order tasks as the file does, unknown ones last."""
        return (self.place.get(task, len(self.place)), task)

    def axis(self, axis: str, tasks: Iterable[str]) -> tuple[str | None, ...]:
        """Return each task's value on an axis; None for an unknown task."""
        return tuple(self.rows[task].get(axis) if task in self.rows else None for task in tasks)

    def values(self, axis: str) -> tuple[str, ...]:
        """Return the values of an axis in order of first appearance."""
        return tuple(dict.fromkeys(str(row.get(axis)) for row in self.rows.values()))

    def scored_by(self, task: str, difficulty: str) -> bool:
        """Say whether a profile scores a task: discovery tasks have their own, older ones two to choose from."""
        return (self.rows[task].get("difficulty") == "discovery") == (difficulty == "discovery")

    def without_references(self, version: str) -> str:
        """Return the hash by which a report of a benchmark version says that no task has a reference."""
        document = {
            "benchmark_version": version,
            "tasks_sha256": self.digest,
            "reference_policy": "none",
            "tasks": [{"task_id": task, "reference_id": None} for task in self.rows],
        }
        return sha256(compact_unicode(document))

    def complete(self, tasks: Iterable[str]) -> bool:
        """Say whether these are exactly the tasks of the file, each once."""
        return sorted(tasks) == sorted(self.rows)


def check_digest(node: Node, pointer: str, tasks: Tasks) -> None:
    """Note a `tasks_sha256` that is not the digest of the pinned file."""
    found = node.text(pointer)
    if node.has(pointer) and found != tasks.digest:
        field = pointer.removeprefix("/").replace("/", ".")
        node.refuse(
            pointer,
            "tasks-digest",
            f"the digest of {tasks.path}, {tasks.digest}",
            f"{field} {found}",
            "A report on another list of tasks is not comparable: evaluate on the pinned one.",
        )


def disagreements(
    where: str, field: str, expected: str, found: Mapping[str, str], remedy: str, code: str
) -> tuple[Problem, ...]:
    """Return one problem for all the tasks whose record disagrees, naming the first three; `found` is by task."""
    if not found:
        return ()
    names = [f"{task} ({value})" for task, value in list(found.items())[:3]]
    rest = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return (Problem(code, where, f"{field} {expected}", f"another in {', '.join(names)}{rest}", remedy),)


def column(values: Iterable[float | None]) -> Column:
    """Return a metric's column from values, None where undefined."""
    every = tuple(values)
    statistics = np.array([[0.0 if value is None else value] for value in every], dtype=np.float64).reshape(-1, 1)
    defined = np.array([value is not None for value in every], dtype=np.bool_)
    statistics.flags.writeable = False
    defined.flags.writeable = False
    return Column(statistics, defined)
