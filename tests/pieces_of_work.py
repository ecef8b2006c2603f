"""Work that another process can be asked to do: it must be importable there."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

Value = TypeVar("Value")


def lengths(pieces: Sequence[str], longer: int = 0) -> list[int]:
    return [len(piece) + longer for piece in pieces]


def dies_once(pieces: Sequence[str], flag: Path, parent: int, fatal: str) -> list[int]:
    """Kill the process that is asked for a fatal piece, once, if it is not the parent."""
    if os.getpid() != parent and fatal in pieces and not flag.exists():
        flag.touch()
        os._exit(1)
    return lengths(pieces)


def deadly(work: Callable[..., Value], arguments: tuple[object, ...], flag: Path, parent: int) -> Value:
    """Do the work, but the first time kill the process that was asked to."""
    if os.getpid() != parent and not flag.exists():
        flag.touch()
        os._exit(1)
    return work(*arguments)
