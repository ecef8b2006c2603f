"""Begin a board repository: settings, pages, workflows, and an example benchmark that was really measured.

What is written lies beside this module in `scaffolding/`, in files whose `dot-` stands for a dot. The example is the
board shipped with the program, byte for byte. Nothing that is there already is ever written over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from tallystick.board import File
from tallystick.errors import PROBLEMS_SHOWN, Problem, UsageError
from tallystick.strict.names import hidden_characters, url_problem

EXAMPLE = ("results/dateparse", "content/dateparse.md")
NOT_COPIED = {"__pycache__", "frozen"}  # a table that was frozen here is cited from here, and no ledger there lists it
NO_TOOL = "# tallystick @ … (this program does not know where it came from: write the line yourself)"
_PINNED = re.compile(
    r"tallystick (?:"
    r"@ git\+(?P<repository>https://[^\s@#]+)@[0-9a-f]{40}"
    r"|@ (?P<file>https://[^\s@#]+\.whl) --hash=sha256:[0-9a-f]{64}"
    r"|==[0-9][0-9a-z.]*(?: --hash=sha256:[0-9a-f]{64})+)"
)


@dataclass(frozen=True, slots=True)
class Beginning:
    """What differs from one new board to the next: its title, and the line that names the program's source."""

    title: str
    tool: str | None

    def fill(self, text: str) -> str:
        """Put title and tool where a file of the scaffold asks for them."""
        title = re.sub(r"([\\`*_\[\]<>#&])", r"\\\1", self.title)
        text = text.replace("@TITLE_YAML@", json.dumps(self.title, ensure_ascii=False))
        return text.replace("@TITLE_MARKDOWN@", title).replace("@TOOL@", self.tool or NO_TOOL)


def scaffold(folder: Path, beginning: Beginning, example: tuple[str, ...] = EXAMPLE) -> tuple[str, ...]:
    """Write a new board into a folder and return the paths written; `example` names what is copied from ours.

    Raises UsageError, having written nothing, where the title or the tool cannot be, a file is there already, or the
    folder cannot be written to.
    """
    files = sorted([*_skeleton(beginning), *_example(example)], key=lambda file: file.path)
    problems = [*_beginning_problems(beginning), *_collisions(folder, files)]
    if problems:
        raise UsageError(problems[:PROBLEMS_SHOWN])
    _write(folder, files)
    return tuple(file.path for file in files)


def installed_from() -> str | None:
    """Return the requirement that installs this very program again, where it came from a commit or a hashed file."""
    try:
        origin = json.loads(distribution("tallystick").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        return None
    url, vcs = origin.get("url", ""), origin.get("vcs_info", {})
    digest = origin.get("archive_info", {}).get("hashes", {}).get("sha256")
    if vcs.get("vcs") == "git":
        tool = f"tallystick @ git+{url}@{vcs.get('commit_id')}"
    else:
        tool = f"tallystick @ {url} --hash=sha256:{digest}"
    return None if _tool_problem(tool) else tool


# --- what is written ------------------------------------------------------------------------------------------------


def _skeleton(beginning: Beginning) -> Iterator[File]:
    top = Path(__file__).resolve().parent / "scaffolding"
    for path in sorted(top.rglob("*")):
        if path.is_file():
            name = re.sub(r"(^|/)dot-", r"\1.", path.relative_to(top).as_posix())
            yield File(name, beginning.fill(path.read_text("utf-8")).encode())


def _example(paths: tuple[str, ...]) -> Iterator[File]:
    here = Path(__file__).resolve().parent
    top = here / "example"
    if not top.is_dir():  # an editable install: the example stands at the top of the source tree
        top = here.parents[1]
    for name in paths:
        place = top / name
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            inside = path.relative_to(top)
            if path.is_file() and NOT_COPIED.isdisjoint(inside.parts):
                yield File(inside.as_posix(), path.read_bytes())


def _write(folder: Path, files: list[File]) -> None:
    """Write all files, or take back those that were written."""
    made: list[Path] = []
    try:
        for file in files:
            place = folder / file.path
            absent = [parent for parent in place.parents if not parent.exists()]
            place.parent.mkdir(parents=True, exist_ok=True)
            made += reversed(absent)
            with place.open("xb") as stream:
                made.append(place)
                stream.write(file.content)
            if place.suffix == ".sh":
                place.chmod(0o755)
    except OSError as error:
        for path in reversed(made):
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        found = (error.strerror or type(error).__name__).lower()
        remedy = "Choose a folder that can be written to; nothing was left behind."
        raise UsageError([Problem("folder-unwritable", str(folder), "room for a new board", found, remedy)]) from None


# --- what may be wrong ----------------------------------------------------------------------------------------------


def _beginning_problems(beginning: Beginning) -> Iterator[Problem]:
    if not beginning.title.strip() or hidden_characters(beginning.title):
        yield Problem("title", "--title", "visible text in one line", ascii(beginning.title), "Give another title.")
    if beginning.tool and (problem := _tool_problem(beginning.tool)):
        yield problem


def _tool_problem(tool: str) -> Problem | None:
    """Return why a requirement does not name one program for good."""
    found = _PINNED.fullmatch(tool)
    url = found and (found["repository"] or found["file"])
    if found and not (url and url_problem(url, "--tool")):
        return None
    expected = "a requirement pinned by commit or hash, from an https address"
    remedy = "Write it as .github/tool/tallystick.txt of a new board shows."
    return Problem("tool-unpinned", "--tool", expected, ascii(tool), remedy)


def _collisions(folder: Path, files: list[File]) -> Iterator[Problem]:
    remedy = "Choose another folder, or move what is there out of the way."
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        found = "a symbolic link" if folder.is_symlink() else "something that is no folder"
        yield Problem("init-collision", str(folder), "a folder, or nothing", found, remedy)
        return
    places = {folder / file.path for file in files}
    inner = {parent for place in places for parent in place.parents if parent.is_relative_to(folder)} - {folder}
    for path in sorted(inner):
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            yield Problem("init-collision", str(path), "a folder, or nothing", "something else", remedy)
    for place in sorted(places):
        if place.is_symlink() or place.exists():
            yield Problem("init-collision", str(place), "no file", "one that is there already", remedy)
