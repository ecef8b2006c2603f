"""What the results file of lm-evaluation-harness states, and where that parts from the samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tallystick.imported import Difference, ImportedStatement
from tallystick.importers._lm_eval_groups import leaves, parent, tree, unweighted
from tallystick.importers._lm_eval_samples import Task
from tallystick.logs import LogFile

_EXCERPT = "lm-eval-samples-excerpt"
_UNHASHED = "lm-eval-task-hash"
_UNWEIGHTED = "lm-eval-group-unweighted"


def absent(task: Task, document: Mapping[str, Any]) -> list[int]:
    """Return the documents that the results count but the samples lack, where the harness's numbering tells which."""
    effective = ((document.get("n-samples") or {}).get(task.name) or {}).get("effective")
    if not isinstance(effective, int) or not set(task.documents) <= set(range(effective)):
        return []
    return sorted(set(range(effective)) - set(task.documents))


def stated_in(results: LogFile, tasks: list[Task], ids: Mapping[tuple[str, str], str]) -> list[ImportedStatement]:
    """Return what is stated of each task, and of the group that the tasks make up."""
    document = results.head
    stated: list[ImportedStatement] = []
    several = len(tasks) > 1
    for task in tasks:
        axis: tuple[str | None, str | None] = ("task", task.name) if several else (None, None)
        under = _EXCERPT if absent(task, document) else None
        stated += _of_entry(results, task.name, ids, axis, under)
        effective = ((document.get("n-samples") or {}).get(task.name) or {}).get("effective")
        if isinstance(effective, int):
            where = f"{results.name} /n-samples/{task.name}/effective"
            stated.append(
                ImportedStatement(where, next(iter(ids.values())), effective, "count", axis[0], axis[1], under)
            )
    return stated + (_of_groups(results, tasks, ids) if several else [])


def _of_groups(results: LogFile, tasks: list[Task], ids: Mapping[tuple[str, str], str]) -> list[ImportedStatement]:
    """Return what is stated of the groups that hold all of the tasks, and of those that hold some of them directly."""
    document, groups = results.head, tree(results.head)
    names = {task.name for task in tasks}
    stated: list[ImportedStatement] = []
    for group in sorted(groups.keys() & document["results"].keys()):
        held = leaves(groups, group)
        if held >= names:
            axis: tuple[str | None, str | None] = (None, None)
        elif held == {name for name in names if parent(groups, name) == group}:
            axis = ("group", group)
        else:
            continue
        shared = {key for other in held - names for key in document["results"].get(other, {})}
        for item in _of_entry(results, group, ids, axis, None):
            key = item.where.rpartition("/")[2]
            if key not in shared and item.part == "estimate":
                under = _UNWEIGHTED if unweighted(document, held, key, item.value) else None
                stated.append(replace(item, under=under))
    return stated


def _of_entry(
    results: LogFile,
    entry: str,
    ids: Mapping[tuple[str, str], str],
    axis: tuple[str | None, str | None],
    under: str | None,
) -> list[ImportedStatement]:
    """Read `metric,filter` and `metric_stderr,filter`, or the old keys without a filter, of one task or group."""
    numbers = results.head["results"][entry]
    stated = []
    for (name, filter), metric_id in ids.items():
        for key, plain, part in (
            (f"{name},{filter}", name, "estimate"),
            (f"{name}_stderr,{filter}", f"{name}_stderr", "standard_error"),
        ):
            found = key if key in numbers else plain
            value = numbers.get(found)
            if isinstance(value, int | float) and not isinstance(value, bool) and value == value:
                where = f"{results.name} /results/{entry}/{found}"
                stated.append(ImportedStatement(where, metric_id, value, part, axis[0], axis[1], under))  # type: ignore[arg-type]  # literals above
    return stated


def differences_in(
    document: Mapping[str, Any], tasks: list[Task], stated: Sequence[ImportedStatement]
) -> list[Difference]:
    """Return where the results speak of other samples than the files hold, or count them otherwise."""
    differences = []
    for task in tasks:
        count = len(absent(task, document))
        if count:
            reason = f"the results count {count} samples of {task.name} that the samples file does not hold"
            differences.append(Difference(_EXCERPT, reason))
        if not task.joined_by_hash and document.get("task_hashes"):
            reason = f"the samples file of {task.name} is not the one whose hash the results state"
            differences.append(Difference(_UNHASHED, reason))
    entries = sorted({item.where.split("/results/")[-1] for item in stated if item.under == _UNWEIGHTED})
    if entries:
        reason = f"{', '.join(entries)}: the mean of its tasks' means, each task counting alike; here each sample does"
        differences.append(Difference(_UNWEIGHTED, reason))
    return differences
