"""The samples files of lm-evaluation-harness, read row by row: what each row says, and the hash of all of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tallystick.digest import sha256
from tallystick.errors import Problem
from tallystick.imported import Recognised
from tallystick.importers._values import score
from tallystick.logs import LogFile, objects

_SAMPLE = {"doc_id", "doc", "target"}
_NOT_METRICS = _SAMPLE | {
    "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One document under one filter. A metric's value is None where the row holds null, and absent where a list."""

    doc_id: int
    filter: str
    values: Mapping[str, float | None]
    content: str | None
    extracted: bool


@dataclass(frozen=True, slots=True)
class SamplesFile:
    """A samples file: `task_hash` is what the results file states of it, if they belong together.

    `lists` are metrics whose per-sample values are no numbers. `proven` counts documents whose hash follows from the
    document that the row holds.
    """

    file: LogFile
    rows: tuple[Row, ...]
    task_hash: str | None
    lists: frozenset[str]
    proven: int


@dataclass(slots=True)
class Task:
    """A task of one results file with its rows by document, and then by filter."""

    name: str
    samples: SamplesFile
    joined_by_hash: bool
    documents: dict[int, dict[str, Row]] = field(default_factory=dict)

    def metrics(self) -> frozenset[tuple[str, str]]:
        """Return the metrics that it has numbers for, each with its filter."""
        return frozenset((name, row.filter) for row in self.samples.rows for name in row.values)


def is_sample(row: object) -> bool:
    """Say whether an object is a row of a samples file."""
    return isinstance(row, dict) and set(row) >= _SAMPLE and ("resps" in row or "filtered_resps" in row)


def read_samples(file: Recognised, problems: list[Problem]) -> SamplesFile:
    """Read a samples file, JSON Lines or an array, keeping of each row only what a report needs."""
    rows: list[Row] = []
    lists: set[str] = set()
    state = hashlib.sha256()
    hashed = proven = 0
    for where, raw in objects(file.file):
        rows.append(_row(raw, where, lists, problems))
        hashes = [raw.get(f"{part}_hash") for part in ("doc", "prompt", "target")]
        if all(isinstance(item, str) for item in hashes):
            hashed += 1
            state.update("".join(map(str, hashes)).encode())
            proven += _proves(raw)
    task_hash = state.hexdigest() if rows and hashed == len(rows) else None
    scored = {name for row in rows for name in row.values}
    for name in sorted(lists & scored):
        problems.append(
            Problem("score-not-a-number", f"{file.file.name} {name}", "numbers in every row", "lists in some",
                    "Log one number per sample, or lists throughout.")
        )  # fmt: skip
    return SamplesFile(file.file, tuple(rows), task_hash, frozenset(lists), proven)


def _row(raw: Mapping[str, Any], where: str, lists: set[str], problems: list[Problem]) -> Row:
    doc_id = raw.get("doc_id")
    if not isinstance(doc_id, int) or isinstance(doc_id, bool):
        problems.append(Problem("sample-id", where, "a whole number as doc_id", repr(doc_id)[:40], "Log it again."))
        doc_id = -1
    named = raw.get("metrics")
    names = named if isinstance(named, list) else [key for key in raw if key not in _NOT_METRICS]
    values: dict[str, float | None] = {}
    for name in map(str, names):
        value = raw.get(name)
        if isinstance(value, list | dict):
            lists.add(name)
        else:
            values[name] = score(value, f"{where} {name}", problems)
    hashes = (raw.get("doc_hash"), raw.get("target_hash"))
    content = sha256("".join(map(str, hashes)).encode()) if all(isinstance(item, str) for item in hashes) else None
    responses = raw.get("filtered_resps")
    extracted = not (isinstance(responses, list) and "[invalid]" in responses)
    return Row(doc_id, str(raw.get("filter") or "none"), values, content, extracted)


def _proves(raw: Mapping[str, Any]) -> bool:
    """Say whether the document and target in the row have the hashes that the row states."""
    try:
        document = json.dumps(raw["doc"], indent=2, ensure_ascii=False).encode()
        target = str(raw["target"]).encode()
    except (UnicodeEncodeError, ValueError):
        return False
    return bool(sha256(document) == raw["doc_hash"] and sha256(target) == raw["target_hash"])
