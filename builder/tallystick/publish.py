"""Make a folder exactly these files, all at once: at any moment it holds the old site or the new one.

The new site is completed in a folder beside the old one and the two change places in one step. Files that did not
change are linked, not written, so that they keep their times. Only a folder that this program made is ever replaced.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from types import ModuleType

from tallystick.board import File
from tallystick.errors import Problem, PublishError

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

MARKER = ".tallystick"
PLACEHOLDER = ".gitkeep"
FORMAT = "tallystick-site/1"
ASSETS = "assets/"
BUILDING = ".building"
OLD = ".old"

AT_FDCWD = -100
RENAME_EXCHANGE = 2


def publish(files: Iterable[File], out: Path) -> tuple[str, ...]:
    """Make `out` hold these files and nothing else, and return the paths that were written or removed, sorted.

    Two things stay besides: a `.gitkeep`, and the assets of the generation before, which pages in readers' caches may
    still ask for. Nothing at all is touched if nothing changed. Raises PublishError, leaving the old site, where `out`
    is not ours to replace or cannot be written.
    """
    contents = {file.path: file.content for file in files}
    _check_paths(contents)
    out = Path(os.path.abspath(out))  # noqa: PTH100 - resolve() would follow a symlink that must be refused
    if not out.name:
        raise PublishError([_foreign(out, "the root of the file system")])
    with _explained(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        with _alone(out.parent):
            _recover(out)
            marker = _take(out)
            changed = _changed(contents, marker, out)
            if changed or marker["files"] != sorted(contents):
                _replace(contents, marker, out)
            return changed


# --- what is there --------------------------------------------------------------------------------------------------


def _take(out: Path) -> dict[str, list[str]]:
    """Return the marker of the site in `out`, or an empty one for a new or empty folder; refuse any other."""
    nothing: dict[str, list[str]] = {"files": [], "kept": []}
    try:
        mode = out.lstat().st_mode
    except FileNotFoundError:
        return nothing
    if not stat.S_ISDIR(mode):
        raise PublishError([_foreign(out, "a symlink" if stat.S_ISLNK(mode) else "something that is no folder")])
    names = {entry.name for entry in os.scandir(out)}
    if names <= {PLACEHOLDER}:
        return nothing
    try:
        marker = json.loads((out / MARKER).read_bytes())
        if marker["format"] != FORMAT:
            raise KeyError
        return {key: [str(path) for path in marker[key]] for key in ("files", "kept")}
    except (OSError, ValueError, KeyError, TypeError):
        raise PublishError([_foreign(out, "a folder with other files in it")]) from None


def _foreign(out: Path, found: str) -> Problem:
    return Problem(
        code="output-not-ours",
        where=str(out),
        expected="a site that Tallystick made, an empty folder, or nothing",
        found=found,
        remedy="Choose another folder, or empty this one yourself if nothing in it is needed.",
    )


def _changed(contents: dict[str, bytes], marker: dict[str, list[str]], out: Path) -> tuple[str, ...]:
    """Return the paths that differ from what is there, are not there yet, or should not be there."""
    differing = {path for path, content in contents.items() if not _holds(out / path, content)}
    assets = {path for path in marker["files"] if path.startswith(ASSETS)}
    expected = {*contents, *marker["kept"], *assets, MARKER, PLACEHOLDER}
    return tuple(sorted(differing | (_present(out) - expected)))


def _present(out: Path) -> set[str]:
    """Return the path of everything below a folder that is no folder; symlinks are not followed."""
    return {
        (Path(folder) / name).relative_to(out).as_posix()
        for folder, folders, names in os.walk(out)
        for name in (*names, *(name for name in folders if (Path(folder) / name).is_symlink()))
    }


def _holds(path: Path, content: bytes) -> bool:
    """Say whether a regular file, reached through no symlink, has exactly this content."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return False
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
        found = os.fstat(file.fileno())
        return stat.S_ISREG(found.st_mode) and found.st_size == len(content) and file.read() == content


# --- what comes in its place ----------------------------------------------------------------------------------------


def _replace(contents: dict[str, bytes], marker: dict[str, list[str]], out: Path) -> None:
    """Complete the new site beside the old one, and let the two change places."""
    building = out.with_name(f".{out.name}{BUILDING}")
    building.mkdir()
    try:
        for folder in {(building / path).parent for path in contents}:
            folder.mkdir(parents=True, exist_ok=True)
        for path, content in contents.items():
            _carry(out / path, building / path, content)
        kept = _keep_assets(contents, marker, out, building)
        if (out / PLACEHOLDER).is_file() and not (out / PLACEHOLDER).is_symlink():
            _link(out / PLACEHOLDER, building / PLACEHOLDER)
        (building / MARKER).write_bytes(_marker(contents, kept))
        if out.exists():
            _exchange(building, out)
        else:
            building.rename(out)
    finally:
        shutil.rmtree(
            building, ignore_errors=True
        )  # the old site after an exchange, the unfinished one after a failure


def _carry(old: Path, new: Path, content: bytes) -> None:
    if _holds(old, content):
        _link(old, new)
    else:
        new.write_bytes(content)


def _link(old: Path, new: Path) -> None:
    """Let a file be in both sites, or copy it with its times where a file system has no hard links."""
    try:
        new.hardlink_to(old)
    except OSError:
        shutil.copy2(old, new)


def _keep_assets(contents: dict[str, bytes], marker: dict[str, list[str]], out: Path, building: Path) -> list[str]:
    """Carry over the assets of the generation before, and return their paths."""
    mine = {path for path in contents if path.startswith(ASSETS)}
    before = {path for path in marker["files"] if path.startswith(ASSETS)}
    wanted = set(marker["kept"]) if mine == before else before
    kept = []
    for path in sorted(wanted - mine):
        if _is_inside(path) and (out / path).is_file() and not (out / path).is_symlink():
            (building / path).parent.mkdir(parents=True, exist_ok=True)
            _link(out / path, building / path)
            kept.append(path)
    return kept


def _marker(contents: dict[str, bytes], kept: list[str]) -> bytes:
    return (json.dumps({"format": FORMAT, "files": sorted(contents), "kept": kept}, indent=0) + "\n").encode()


# --- how they change places -----------------------------------------------------------------------------------------


def _exchange(new: Path, out: Path) -> None:
    """Let two folders change places in one step; where the system cannot, in two that `_recover` can finish."""
    swap = _system_exchange()
    if swap is not None and swap(new, out):
        return
    aside = out.with_name(f".{out.name}{OLD}")
    out.rename(aside)
    new.rename(out)
    shutil.rmtree(aside, ignore_errors=True)


def _system_exchange() -> Callable[[Path, Path], bool] | None:
    """Return Linux's exchange of two names, if it has it; it returns False where the file system does not."""
    if not sys.platform.startswith("linux"):
        return None
    function = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is None:
        return None

    def swap(new: Path, out: Path) -> bool:
        ends = (AT_FDCWD, os.fsencode(new), AT_FDCWD, os.fsencode(out), RENAME_EXCHANGE)
        if function(*ends) == 0:
            return True
        code = ctypes.get_errno()
        if code in (errno.ENOSYS, errno.EINVAL):
            return False
        raise OSError(code, os.strerror(code), str(out))

    return swap


def _recover(out: Path) -> None:
    """Finish what a killed run left: bring back a site that was moved aside, and remove unfinished ones."""
    aside = out.with_name(f".{out.name}{OLD}")
    if aside.is_dir() and not aside.is_symlink():
        if out.exists():
            shutil.rmtree(aside, ignore_errors=True)
        else:
            aside.rename(out)
    left = out.with_name(f".{out.name}{BUILDING}")
    if left.is_dir() and not left.is_symlink():
        shutil.rmtree(left)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold a lock on the folder around a site, so that two builds at once take turns; it ends with the process."""
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks: two builds at once are then the caller's to avoid
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


# --- what can go wrong ----------------------------------------------------------------------------------------------


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path)
    return (
        bool(parts.parts)
        and not parts.is_absolute()
        and ".." not in parts.parts
        and "\\" not in path
        and "\0" not in path
    )


def _check_paths(contents: dict[str, bytes]) -> None:
    """Refuse paths that would leave the site or take the place of the marker: a mistake of ours."""
    wrong = [path for path in contents if not _is_inside(path) or path in (MARKER, PLACEHOLDER)]
    if wrong:
        raise ValueError(f"paths that a site must not have: {wrong}")


@contextmanager
def _explained(out: Path) -> Iterator[None]:
    """Turn what the system refuses into a problem that says what to do."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        problem = Problem(
            code="output-not-writable",
            where=str(out),
            expected="a folder that can be written",
            found=error.strerror or str(error),
            remedy="Make room on the disk and build again; the old site is untouched."
            if full
            else "Make the folder and the one around it writable, or choose another; the old site is untouched.",
        )
        raise PublishError([problem]) from error
