"""Remember values between builds: found by the digest of all that they follow from, and held against their own.

Nothing here is needed: a folder that was deleted, or a file in it that was damaged, costs the time to compute again. No
file can do more than be read as a value (see `codec`), and a folder that others may write to is not used at all.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import time
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tallystick import __version__
from tallystick.codec import decode, encode
from tallystick.digest import sha256

FOUNDATIONS = ("jinja2", "markdown-it-py", "numpy", "pydantic", "pyyaml")
KEPT_DAYS = 30
DIGEST = 64


@cache
def code() -> str:
    """Return the digest of the program itself: every source file, and the versions of all that it rests upon."""
    package = Path(__file__).resolve().parent
    parts = [f"tallystick {__version__}", f"python {sys.version}"]
    parts += [f"{name} {version(name)}" for name in FOUNDATIONS]
    parts += [
        f"{path.relative_to(package).as_posix()} {sha256(path.read_bytes())}" for path in sorted(package.rglob("*.py"))
    ]
    return sha256("\n".join(parts).encode())


def key(stage: str, *inputs: str) -> str:
    """Return the name of what a stage makes of inputs, which are given by digest or as they are."""
    return sha256(encode((code(), stage, *inputs)))


def default_folder() -> Path:
    """Return the user's own cache folder: not the board's, in which a stranger's change could lay false results."""
    if stated := os.environ.get("XDG_CACHE_HOME"):
        return Path(stated) / "tallystick"
    if sys.platform == "win32" and (stated := os.environ.get("LOCALAPPDATA")):
        return Path(stated) / "tallystick" / "cache"
    return Path.home() / ".cache" / "tallystick"


class Cache:
    """What was computed before: in memory for the life of this object, and on disk in `folder` where one is given."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder if folder is not None and _ours(folder) else None
        self._held: dict[str, object] = {}
        self._used: set[str] = set()

    def recall(self, name: str) -> Any | None:  # noqa: ANN401 - whatever was kept under that name
        """Return what was kept under a name; None where nothing was, or where it is not what was kept."""
        self._used.add(name)
        if name not in self._held and (found := self._read(name)) is not None:
            self._held[name] = found
        return self._held.get(name)

    def keep(self, name: str, value: object) -> None:
        """Keep a value that is not None."""
        self._used.add(name)
        self._held[name] = value
        if self._folder is not None:
            self._write(name, encode(value))

    def settle(self) -> None:
        """End a build: let go of what it had no use for, and once a day of files that none had for a month."""
        self._held = {name: value for name, value in self._held.items() if name in self._used}
        self._used = set()
        if self._folder is not None:
            _sweep(self._folder)

    def _place(self, name: str) -> Path | None:
        return None if self._folder is None else self._folder / name[:2] / name[2:]

    def _read(self, name: str) -> Any | None:  # noqa: ANN401 - whatever was kept under that name
        place = self._place(name)
        if place is None:
            return None
        try:
            content = place.read_bytes()
            stated, payload = content[:DIGEST], content[DIGEST:]
            if stated != sha256(name.encode() + payload).encode():
                return None
            os.utime(place)
            return decode(payload)
        except (OSError, ValueError):
            return None

    def _write(self, name: str, payload: bytes) -> None:
        """Write beside and rename: a reader finds a whole file or none. A full disk is no failure of a build."""
        place = self._place(name)
        assert place is not None
        try:
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, beside = tempfile.mkstemp(dir=place.parent, prefix=".")
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(sha256(name.encode() + payload).encode() + payload)
                Path(beside).replace(place)
            except OSError:
                Path(beside).unlink(missing_ok=True)
                raise
        except OSError:
            self._folder = None


def _ours(folder: Path) -> bool:
    """Make the folder, and say whether it is a real one that nobody else may write to."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    mine = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    return stat.S_ISDIR(found.st_mode) and mine and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _sweep(folder: Path) -> None:
    stamp, now = folder / "swept", time.time()
    try:
        if stamp.exists() and now - stamp.stat().st_mtime < 86_400:
            return
        stamp.touch()
        for path in _files(folder):
            if now - path.stat().st_mtime > KEPT_DAYS * 86_400:
                path.unlink(missing_ok=True)
    except OSError:
        return


def _files(folder: Path) -> Iterable[Path]:
    return (path for path in folder.glob("??/*") if path.is_file() and not path.is_symlink())
