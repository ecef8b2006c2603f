"""Ask git what differs from a commit, and read a commit's files: fixed arguments, no shell, no hooks, no drivers.

Nothing is checked out and nothing is written into the repository.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tallystick.errors import Problem, UsageError
from tallystick.proposal import Action

_OPTIONS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "core.quotePath=false")
_FOREIGN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_EXTERNAL_DIFF")
_SETTLED = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_LITERAL_PATHSPECS": "1", "LC_ALL": "C"}
_DIFF = ("diff", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-textconv")
_ACTIONS: Mapping[str, Action] = {"A": "added", "D": "removed"}
_LINK, _FILES = "120000", ("100644", "100755")


@dataclass(frozen=True, slots=True)
class Repository:
    """A work tree: its top folder, and the board's place below it ("" or "folder/")."""

    top: Path
    prefix: str


def repository(root: Path) -> Repository:
    """Find the work tree that a folder belongs to; raise UsageError where there is none, or no git."""
    top = _lines(root, "rev-parse", "--show-toplevel")
    prefix = _lines(root, "rev-parse", "--show-prefix")
    return Repository(Path(os.fsdecode(top)), os.fsdecode(prefix))


def commit(repo: Repository, ref: str) -> str:
    """Return the id of the commit that a name means; raise UsageError where it means none."""
    if not ref.startswith("-"):
        done = _git(repo.top, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
        if done.returncode == 0:
            return done.stdout.decode("ascii").strip()
    remedy = "Fetch it first, or name a branch or commit that is here."
    raise UsageError([Problem("ref-unknown", "--base", "a branch, tag or commit", f"{ref!r}", remedy)])


def fork(repo: Repository, base: str) -> str:
    """Return the commit at which the work tree's history left that of `base`.

    In a history cut short, as fetched for a workflow, it is `base` itself where HEAD merges it.
    """
    done = _git(repo.top, "merge-base", base, "HEAD")
    if done.returncode == 0:
        return done.stdout.decode("ascii").split()[0]
    head = _git(repo.top, "cat-file", "commit", "HEAD").stdout.partition(b"\n\n")[0].decode("utf-8", "replace")
    if f"parent {base}" in head.splitlines():
        return base
    remedy = "Fetch the history of both: `git fetch --unshallow`."
    raise UsageError([Problem("no-common-commit", "--base", "a commit that HEAD comes from", "none", remedy)])


def changed(repo: Repository, since: str) -> dict[str, Action]:
    """Return what the work tree makes of each file that differs from a commit, by path from the top.

    Files that git does not know yet count as added where reports lie.
    """
    actions = _diff(repo, since)
    untracked = _lines(repo.top, "ls-files", "-z", "--others", "--exclude-standard", "--", f"{repo.prefix}results")
    for name in filter(None, os.fsdecode(untracked).split("\0")):
        actions[name] = "edited" if name in actions else "added"
    return dict(sorted(actions.items()))


def changed_between(repo: Repository, older: str, newer: str) -> dict[str, Action]:
    """Return the same for two commits."""
    return _diff(repo, older, newer)


def materialise(repo: Repository, commit: str, folders: Iterable[str], target: Path) -> None:
    """Write the files of some of the board's folders, as a commit has them, below `target`, byte for byte.

    Links come last, so that no file is ever written through one.
    """
    paths = [f"{repo.prefix}{folder}" for folder in folders]
    listing = _lines(repo.top, "ls-tree", "-r", "-z", "--full-tree", commit, "--", *paths)
    entries = [entry.split("\t", 1) for entry in os.fsdecode(listing).split("\0") if entry]
    command = ["git", *_OPTIONS, "cat-file", "--batch"]
    with subprocess.Popen(
        command, cwd=repo.top, env=_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as reader:
        for described, path in sorted(entries, key=lambda entry: entry[0].startswith(_LINK)):
            mode, _, name = described.split(" ")
            inner = path.removeprefix(repo.prefix)
            if mode not in (_LINK, *_FILES) or ".." in inner.split("/"):
                continue
            place = target / inner
            place.parent.mkdir(parents=True, exist_ok=True)
            content = _object(reader, name)
            if mode == _LINK:
                place.symlink_to(os.fsdecode(content))
            else:
                place.write_bytes(content)


def _object(reader: subprocess.Popen[bytes], name: str) -> bytes:
    assert reader.stdin is not None
    assert reader.stdout is not None
    reader.stdin.write(f"{name}\n".encode())
    reader.stdin.flush()
    header = reader.stdout.readline().split()
    if len(header) != 3:
        remedy = "Fetch it whole: `git fetch --refetch`."
        raise UsageError([Problem("git-failed", "--base", "every file of the commit", f"no object {name}", remedy)])
    content = reader.stdout.read(int(header[2]))
    reader.stdout.read(1)
    return content


def _diff(repo: Repository, *commits: str) -> dict[str, Action]:
    found = os.fsdecode(_lines(repo.top, *_DIFF, "--ignore-submodules=dirty", *commits, "--"))
    return {path: _ACTIONS.get(letter, "edited") for letter, path in _records(found)}


def _records(found: str) -> Iterator[tuple[str, str]]:
    parts = iter(found.split("\0"))
    for described in parts:
        if described:
            yield described.rpartition(" ")[2][:1], next(parts)


def _lines(folder: Path, *arguments: str) -> bytes:
    done = _git(folder, *arguments)
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no reason"]
        remedy = "Run it in the work tree of a git repository."
        raise UsageError([Problem("git-failed", str(folder), f"git {arguments[0]} to succeed", said[0][:300], remedy)])
    return done.stdout.removesuffix(b"\n")


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = ["git", *_OPTIONS, *arguments]
    try:
        return subprocess.run(
            command, cwd=folder, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except FileNotFoundError:
        found, remedy = "none", "Install git, or check without --base."
        raise UsageError([Problem("git-absent", "--base", "the program git", found, remedy)]) from None


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _FOREIGN} | _SETTLED
