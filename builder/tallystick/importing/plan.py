"""What would be written, and what was understood of the logs; and the only function here that writes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tallystick.board import File
from tallystick.errors import Problem, Refusal, UsageError
from tallystick.imported import Difference
from tallystick.model import Status
from tallystick.strict.files import link_problem


@dataclass(frozen=True, slots=True)
class Understood:
    """One run as it was understood. `means` are over the samples that have a value; None where none has one.

    `stated` are the log's own numbers in words, `pinned` what each fingerprint component was made of, `unaccepted` the
    names of those `differences` for which the board refuses it.
    """

    benchmark: str
    method: str
    title: str
    format: str
    path: str
    samples: int
    statuses: Mapping[Status, int]
    means: Mapping[str, tuple[float | None, int]]
    stated: tuple[tuple[str, str, float], ...]
    sources: tuple[tuple[str, str], ...]
    pinned: Mapping[str, str]
    differences: tuple[Difference, ...]
    unaccepted: tuple[str, ...]
    unproven: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Files to write below the board's root, and why. `ignored` were given but belong to no format."""

    root: Path
    files: tuple[File, ...]
    understood: tuple[Understood, ...]
    made: tuple[str, ...]
    ignored: tuple[str, ...]
    unchanged: tuple[str, ...] = ()


def apply(plan: Plan) -> tuple[str, ...]:
    """Write the plan's files and return their paths; all of them are written, or none.

    Raises UsageError where one exists already or cannot be written: nothing is ever overwritten.
    """
    for file in plan.files:
        if problem := link_problem(plan.root, file.path, file.path):
            raise Refusal([problem])
    written: list[Path] = []
    try:
        for file in plan.files:
            target = plan.root / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            written.append(target)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(file.content)
    except OSError as error:
        for target in written:
            with contextlib.suppress(OSError):
                target.unlink()
        exists = isinstance(error, FileExistsError)
        found = "a file of that name" if exists else str(error.strerror).lower()
        if exists:
            remedy = "Remove it first if it should be replaced, or choose another --method."
            problem = Problem("file-exists", file.path, "nothing there yet", found, remedy)
        else:
            remedy = "Make room, or make the folder writable, and try again; nothing was written."
            problem = Problem("file-unusable", file.path, "a file to write", found, remedy)
        raise UsageError([problem]) from None
    return tuple(file.path for file in plan.files)
