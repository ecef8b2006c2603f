"""Inspect AI logs in their two containers, one JSON document or a ZIP archive, read sample by sample."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tallystick.errors import Problem, Refusal
from tallystick.imported import Recognised
from tallystick.logs import LogFile, member, parse

_SAMPLE_MEMBER = re.compile(r"samples/.+_epoch_\d+(\.json|/sample\.json)")
START = "_journal/start.json"
HEADER = "header.json"


def recognises(file: LogFile) -> str | None:
    """Tell the two containers apart; None for anything else."""
    if file.kind == "zip":
        return "archive" if HEADER in file.head or START in file.head else None
    document = file.head
    if file.kind == "json" and isinstance(document, dict) and isinstance(document.get("eval"), dict):
        return "document" if {"task", "model"} <= set(document["eval"]) else None
    return None


def header(file: Recognised) -> Mapping[str, Any]:
    """Return the log without its samples; an unfinished archive has only what was written at its start."""
    if file.role == "document":
        found = file.file.head
    else:
        name = HEADER if HEADER in file.file.head else START
        found = parse(member(file.file.path, name, file.file.name), f"{file.file.name} {name}")
    if not isinstance(found, dict) or not isinstance(found.get("eval"), dict):
        remedy = "Export the log again."
        raise Refusal([Problem("log-header", file.file.name, "a log header with `eval`", "none", remedy)])
    return found


def reductions(file: Recognised) -> list[Mapping[str, Any]]:
    """Return the log's values reduced over epochs, one entry per scorer."""
    if file.role == "document":
        found = file.file.head.get("reductions")
    elif "reductions.json" in file.file.head:
        found = parse(member(file.file.path, "reductions.json", file.file.name), f"{file.file.name} reductions.json")
    else:
        found = None
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def samples(file: Recognised) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield where each sample stands and the sample, one at a time."""
    if file.role == "document":
        for index, sample in enumerate(file.file.head.get("samples") or ()):
            yield f"{file.file.name} /samples/{index}", sample if isinstance(sample, dict) else {}
        return
    for name in sorted(file.file.head):
        if _SAMPLE_MEMBER.fullmatch(name):
            where = f"{file.file.name} {name}"
            sample = parse(member(file.file.path, name, file.file.name), where)
            yield where, sample if isinstance(sample, dict) else {}
