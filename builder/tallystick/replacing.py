"""Replace a file whole or not at all: at any moment it holds what it held before, or all that it shall hold."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Write a file beside its place, under a hidden name, and move it there.

    Raises OSError, with the file as it was and nothing left beside it, where it cannot be written.
    """
    beside = path.with_name(f".{path.name}.writing")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    except OSError:
        with suppress(OSError):
            beside.unlink()
        raise
