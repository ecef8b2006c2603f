"""Groups of lm-evaluation-harness: groups hold tasks and other groups, and their numbers are means over tasks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

Tree = Mapping[str, tuple[str, ...]]
"""What each group holds: tasks, and groups of its own."""


def tree(document: Mapping[str, Any]) -> Tree:
    """Return the groups of a results file; a task without members is none."""
    found = document.get("group_subtasks") or {}
    return {name: tuple(map(str, members)) for name, members in found.items() if members}


def parent(groups: Tree, name: str) -> str | None:
    """Return the group that holds a task or group; of several, the first by name."""
    return next((group for group in sorted(groups) if name in groups[group] and group != name), None)


def top(groups: Tree, task: str) -> str:
    """Return the outermost group that holds a task, or the task itself."""
    name = task
    for _ in groups:  # as deep as it can be, even if groups hold each other
        name = parent(groups, name) or name
    return name


def leaves(groups: Tree, group: str) -> frozenset[str]:
    """Return the tasks of a group and of the groups inside it."""
    found: set[str] = set()
    pending, seen = [group], set()
    while pending:
        name = pending.pop()
        if name in groups and name not in seen:
            pending += groups[name]
        elif name not in groups:
            found.add(name)
        seen.add(name)
    return frozenset(found)


def unweighted(document: Mapping[str, Any], tasks: frozenset[str], key: str, value: float) -> bool:
    """Say whether a group's number is the mean of its tasks' numbers, each counting alike, and no mean over samples."""
    held = [
        (float(entry[key]), (document.get("n-samples") or {}).get(task, {}).get("effective"))
        for task in sorted(tasks)
        if isinstance((entry := document["results"].get(task) or {}).get(key), int | float)
    ]
    sizes = [size for _, size in held if isinstance(size, int)]
    if not held or len(sizes) != len(held) or not sum(sizes):
        return False
    plain = math.fsum(number for number, _ in held) / len(held)
    weighted = math.fsum(number * size for (number, _), size in zip(held, sizes, strict=True)) / sum(sizes)
    return math.isclose(value, plain, rel_tol=1e-9) and not math.isclose(value, weighted, rel_tol=1e-9)
