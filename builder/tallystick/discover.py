"""Find the benchmarks below `results/` and the files that may be reports, without opening or following anything."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tallystick.errors import Problem
from tallystick.model import BenchmarkFolder, Candidate, Catalogue, Unread
from tallystick.strict.files import kind_problem
from tallystick.strict.names import id_problem
from tallystick.strict.paths import fold, name_fault

SETTINGS = "benchmark.yaml"
DEPTH = 8
FILES = 20_000


def discover(root: Path) -> Catalogue:
    """List every benchmark of `root/results` with its candidate files.

    A benchmark is a folder that holds a benchmark.yaml. Nothing is opened and no symbolic link is followed.
    """
    results = root / "results"
    if results.is_symlink() or not results.is_dir():
        found = "a symbolic link" if results.is_symlink() else "none"
        remedy = "Make it; or name the folder of a board with --root, or begin one: `tallystick init DIR`."
        if results.is_symlink():
            remedy = "Put the folder itself there."
        problem = Problem("results-absent", "results", "a folder of benchmarks", found, remedy)
        return Catalogue(root, (), (problem,))
    folders: list[BenchmarkFolder] = []
    problems: list[Problem] = []
    for path in sorted(results.iterdir(), key=lambda path: path.name):
        if _is_ignored(path.name) or (not path.is_symlink() and not path.is_dir()):
            continue
        if folder_problem := _folder_problem(path):
            problems.append(folder_problem)
        else:
            folders.append(_benchmark(path))
    return Catalogue(root, tuple(folders), tuple(problems))


def _folder_problem(folder: Path) -> Problem | None:
    """Return why a folder of `results/` is no benchmark; None where it is one."""
    where = f"results/{folder.name}"
    if folder.is_symlink():
        return Problem("symlink", where, "a folder", "a symbolic link", "Put the folder itself there.")
    try:
        settled = (folder / SETTINGS).is_file()
    except OSError as error:
        return Problem("file-unreadable", where, "a readable folder", _said(error), "Let it be read.")
    if not settled:
        return Problem("benchmark-without-settings", where, SETTINGS, "none", f"Add {SETTINGS}, or remove the folder.")
    return id_problem(folder.name, where)


def _benchmark(folder: Path) -> BenchmarkFolder:
    walk = _Walk()
    candidates = tuple(sorted(walk.below(folder, "", 1)))
    if len(candidates) > FILES:
        remedy = "Move files that belong to no report out of the folder."
        problem = Problem("too-many-files", ".", f"at most {FILES:,} files", "more", remedy)
        return BenchmarkFolder(folder.name, folder, (), (Unread(".", None, (problem,)),))
    return BenchmarkFolder(folder.name, folder, candidates, tuple(sorted(walk.unread, key=lambda unread: unread.path)))


class _Walk:
    """Walks a benchmark's folder; `unread` gathers what must not be opened."""

    def __init__(self) -> None:
        self.unread: list[Unread] = []
        self._count = 0

    def below(self, folder: Path, prefix: str, depth: int) -> Iterator[Candidate]:
        """Yield the candidates of a folder and of those inside it."""
        try:
            with os.scandir(folder) as listing:
                entries = [entry for entry in listing if not _is_ignored(entry.name) and entry.name != SETTINGS]
        except OSError as error:
            place = prefix.rstrip("/") or "."
            self._refuse(place, "file-unreadable", "a readable folder", _said(error), "Let it be read.")
            return
        doubles = Counter(fold(entry.name) for entry in entries)
        for entry in entries:
            path = prefix + entry.name
            if doubles[fold(entry.name)] > 1:
                twins = _twins(entry.name, [other.name for other in entries])
                expected = "names that differ in more than case and Unicode normal form"
                self._refuse(path, "name-collision", expected, f"{twins} in one folder", "Rename one of them.")
            elif fault := name_fault(entry.name):
                self._refuse(path, "unsafe-name", "a name that every system can hold", fault, "Rename it.")
            else:
                yield from self._entry(entry, path, depth)

    def _entry(self, entry: os.DirEntry[str], path: str, depth: int) -> Iterator[Candidate]:
        if entry.is_symlink():
            self._refuse(path, "symlink", "a regular file or folder", "a symbolic link", "Put the file itself there.")
        elif entry.is_dir(follow_symlinks=False):
            if depth == 1 and entry.name in ("frozen", "withdrawn"):
                return
            if depth >= DEPTH:
                self._refuse(path, "folder-too-deep", f"at most {DEPTH} levels", "a deeper folder", "Move it up.")
            else:
                yield from self.below(Path(entry.path), f"{path}/", depth + 1)
        else:
            yield from self._file(entry, path)

    def _file(self, entry: os.DirEntry[str], path: str) -> Iterator[Candidate]:
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            self._refuse(path, "file-unreadable", "a readable file", _said(error), "Let it be read.")
            return
        if problem := kind_problem(status.st_mode, path):
            self.unread.append(Unread(path, None, (problem,)))
        elif self._count <= FILES:  # one more than allowed is enough to refuse
            self._count += 1
            yield Candidate(path, status.st_size)

    def _refuse(self, path: str, code: str, expected: str, found: str, remedy: str) -> None:
        shown = path.encode("utf-8", "backslashreplace").decode("utf-8")
        self.unread.append(Unread(shown, None, (Problem(code, shown, expected, found, remedy),)))


def _twins(name: str, names: Sequence[str]) -> str:
    return " and ".join(sorted(ascii(other) for other in names if fold(other) == fold(name)))


def _said(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


def _is_ignored(name: str) -> bool:
    """Say whether a name is never a report's: hidden, a script, or a note to people."""
    return name.startswith(".") or name.endswith((".py", ".md")) or name == "__pycache__"
