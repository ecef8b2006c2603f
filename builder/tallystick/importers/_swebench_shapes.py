"""What SWE-bench files look like, and how an instance ended in each of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tallystick.errors import Problem
from tallystick.imported import ImportedSample, Recognised
from tallystick.importers._values import number, sample_id, score
from tallystick.logs import LogFile, objects
from tallystick.model import Status

INSTANCE = re.compile(r"(?P<owner>[\w.-]+?)__(?P<name>[\w.-]+)-\d+")
_TABLE = {"system_folder", "instance_id", "resolved"}
_COSTS = ("cost", "api_calls")
_BY_LIST: tuple[tuple[str, Status, float | None], ...] = (
    ("resolved_ids", "scored", 1),
    ("unresolved_ids", "scored", 0),
    ("empty_patch_ids", "abstained", None),
    ("error_ids", "invalid", None),
    ("infra_failure_ids", "unresolved", None),
    ("ambiguous_failure_ids", "unresolved", None),
    ("incomplete_ids", "missing", None),
)


def recognises(file: LogFile) -> str | None:
    """Tell the layouts apart by their keys and by the shape of instance ids."""
    document = file.head
    if file.kind == "csv":
        return "table" if set(document) >= _TABLE else None
    if file.kind == "lines":
        return "instances" if _is_instance(document) else None
    if file.kind == "json" and isinstance(document, list) and document:
        named = all(isinstance(item, str) and INSTANCE.fullmatch(item) for item in document)
        return "instances" if named or _is_instance(document[0]) else None
    return _of_object(document) if file.kind == "json" and isinstance(document, dict) and document else None


def _is_instance(row: object) -> bool:
    return isinstance(row, dict) and {"instance_id", "repo", "base_commit"} <= set(row)


def _of_object(document: Mapping[str, Any]) -> str | None:
    if isinstance(document.get("resolved_ids"), list) and "total_instances" in document:
        return "run_report"
    if isinstance(document.get("resolved"), list):
        return "experiments" if set(document) & {"no_generation", "no_logs"} else None
    if all(isinstance(item, dict) and isinstance(item.get("resolved"), bool) for item in document.values()):
        return "details" if all(INSTANCE.fullmatch(key) for key in document) else None
    return "metadata" if {"folder", "name", "resolved"} <= set(document) else None


def axes(instance: str) -> dict[str, str]:
    """Return the repository that an instance's id names."""
    match = INSTANCE.fullmatch(instance)
    return {"repo": f"{match['owner']}/{match['name']}"} if match else {}


def instances(file: Recognised, problems: list[Problem]) -> set[str]:
    """Return the ids of an instance list: JSON of ids, or rows of the dataset."""
    if file.file.kind == "lines":
        rows: list[object] = [row.get("instance_id") for _, row in objects(file.file)]
    else:
        rows = [item.get("instance_id") if isinstance(item, dict) else item for item in file.file.head]
    return {sample_id(item, file.file.name, problems) for item in rows}


def of_run_report(file: LogFile, problems: list[Problem]) -> list[ImportedSample]:
    """Read a harness's run report: which list an instance stands in says how it ended, and its counts must agree."""
    ended: dict[str, tuple[Status, float | None]] = {}
    for key, ids in file.head.items():
        name = key.removesuffix("_ids") + "_instances"
        count = file.head.get(name)
        if key.endswith("_ids") and isinstance(ids, list) and isinstance(count, int) and count != len(ids):
            remedy = "Evaluate the predictions again: the report contradicts itself."
            expected = f"the length of {key}, {len(ids)}"
            problems.append(Problem("count-contradicted", f"{file.name} /{name}", expected, str(count), remedy))
    for key, status, value in _BY_LIST:
        for item in file.head.get(key) or ():
            name = sample_id(item, f"{file.name} /{key}", problems)
            known = ended.get(name)
            if known is not None and known[0] == "scored" and status == "scored":
                remedy = "Evaluate the predictions again: the report contradicts itself."
                problems.append(
                    Problem("sample-contradicted", f"{file.name} {name}", "resolved or not", "both", remedy)
                )
            if known is None or known[0] == "scored":  # a special list says more than "unresolved" does
                ended[name] = (status, value)
    return [_sample(name, status, value) for name, (status, value) in sorted(ended.items())]


def of_experiments(document: Mapping[str, Any], universe: set[str]) -> list[ImportedSample]:
    """Read an experiments-layout result: successes are listed, failures are the rest of the instance list."""
    without = {"no_generation": "missing", "no_logs": "invalid"}
    ended: dict[str, tuple[Status, float | None]] = {name: ("scored", 0) for name in universe}
    ended |= {str(name): ("scored", 1) for name in document["resolved"]}
    for key, status in without.items():
        ended |= {str(name): (status, None) for name in document.get(key) or ()}  # type: ignore[misc]  # literals above
    return [_sample(name, status, value) for name, (status, value) in sorted(ended.items())]


def of_details(file: LogFile, problems: list[Problem]) -> list[ImportedSample]:
    """Read per-instance details or instance reports; a patch that does not exist is an abstention."""
    samples = []
    for name, entry in sorted(file.head.items()):
        where = f"{file.name} /{name}"
        if entry.get("infra_failure"):
            samples.append(_sample(name, "unresolved", None))
        elif entry.get("patch_is_None") or entry.get("patch_exists") is False:
            samples.append(_sample(name, "abstained", None))
        else:
            costs = {key: score(entry.get(key), f"{where}/{key}", problems) for key in _COSTS}
            samples.append(_sample(name, "scored", int(entry["resolved"]), costs))
    return samples


def of_row(row: Mapping[str, str], where: str, problems: list[Problem]) -> ImportedSample:
    """Read one row of the long table; an empty outcome is no failure."""
    name = sample_id(row["instance_id"], where, problems)
    value = number(row["resolved"], f"{where} resolved", problems)
    costs = {key: number(row.get(key, ""), f"{where} {key}", problems) for key in _COSTS}
    repo = {"repo": row["repo"]} if row.get("repo") else axes(name)
    sample = _sample(name, "unresolved" if value is None else "scored", value, costs)
    return ImportedSample(sample.id, sample.status, sample.values, repo)


def _sample(
    name: str, status: Status, value: float | None, costs: Mapping[str, float | None] | None = None
) -> ImportedSample:
    values = {} if value is None else {"resolved": value}
    if value is not None:
        values |= {key: cost for key, cost in (costs or {}).items() if cost is not None}
    return ImportedSample(name, status, values, axes(name))
