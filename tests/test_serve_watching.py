"""What is a change and what is not, as the file system really says it."""

from __future__ import annotations

import errno
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from watchdog.observers import Observer

from tallystick.serve import Watching


class Watched:
    """A folder being watched, and the batches that came."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.batches: queue.SimpleQueue[frozenset[Path]] = queue.SimpleQueue()
        self.told: list[str] = []
        self.watching = Watching([folder / "content", folder / "results"], self.batches.put, self.told.append)

    def start(self) -> None:
        self.watching.start()
        assert self.batches.get(timeout=30) == frozenset()

    def until(self, path: str, seconds: float = 30) -> int:
        """Wait for a batch with a path, and return how many batches it took."""
        end, count = time.monotonic() + seconds, 0
        while True:
            count += 1
            if self.folder / path in self.batches.get(timeout=max(0.01, end - time.monotonic())):
                return count

    def silent(self, seconds: float = 0.7) -> bool:
        try:
            self.batches.get(timeout=seconds)
        except queue.Empty:
            return True
        return False


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    (tmp_path / "content").mkdir()
    (tmp_path / "content" / "about.md").write_text("x")
    (tmp_path / "results" / "far" / "reports").mkdir(parents=True)
    made = Watched(tmp_path)
    made.start()
    yield made
    made.watching.stop()


def test_a_saved_file_is_told(watched: Watched) -> None:
    (watched.folder / "content" / "about.md").write_text("y")
    watched.until("content/about.md")


def test_a_file_saved_by_rename_is_told(watched: Watched) -> None:
    beside = watched.folder / "content" / ".about.md.swp"
    beside.write_text("y")
    beside.replace(watched.folder / "content" / "about.md")
    watched.until("content/about.md")


def test_a_file_that_went_is_told(watched: Watched) -> None:
    (watched.folder / "content" / "about.md").unlink()
    watched.until("content/about.md")


def test_reading_is_no_change(watched: Watched) -> None:
    for _ in range(20):
        (watched.folder / "content" / "about.md").read_bytes()
        list((watched.folder / "content").iterdir())
    assert watched.silent()


@pytest.mark.parametrize("name", [".about.md.swp", "about.md~", ".#about.md", "4913~", "__pycache__", ".git"])
def test_what_editors_keep_for_themselves_is_no_change(watched: Watched, name: str) -> None:
    path = watched.folder / "content" / name
    path.mkdir() if "pycache" in name or "git" in name else path.write_text("x")
    assert watched.silent()


def test_a_burst_is_told_once(watched: Watched) -> None:
    folder = watched.folder / "results" / "far" / "reports"
    for number in range(300):
        (folder / f"m{number}.json").write_text("{}")
    batches, seen = 0, set()
    while len({path for path in seen if path.suffix == ".json"}) < 300:
        seen |= watched.batches.get(timeout=30)
        batches += 1
    assert batches < 100


def test_a_file_being_written_is_told_when_it_is_closed(watched: Watched) -> None:
    path = watched.folder / "content" / "about.md"
    with path.open("w") as file:
        for _ in range(5):
            file.write("half ")
            file.flush()
            time.sleep(0.01)
    watched.until("content/about.md")
    assert path.read_text() == "half " * 5


def test_new_folders_are_looked_into(watched: Watched) -> None:
    folder = watched.folder / "results" / "new" / "reports"
    folder.mkdir(parents=True)
    (folder / "a.json").write_text("{}")
    watched.until("results/new/reports")
    while not watched.silent(1):
        pass
    (folder / "b.json").write_text("{}")
    watched.until("results/new/reports/b.json")


MEETING_TWICE = """
import os, queue, sys
from pathlib import Path
from tallystick.serve import Watching

root, walk = Path(sys.argv[1]), os.walk

def late_walk(top, *further, **named):
    if os.fsdecode(top).endswith("new"):
        (root / "new" / "reports").mkdir(exist_ok=True)
    return walk(top, *further, **named)

batches = queue.SimpleQueue()
watching = Watching([root], batches.put, print)
watching.start()
batches.get(timeout=30)
os.walk = late_walk
(root / "new").mkdir()
while root / "new" / "reports" not in batches.get(timeout=30):
    pass
(root / "new" / "reports" / "a.json").write_text("{}")
while root / "new" / "reports" / "a.json" not in batches.get(timeout=30):
    pass
watching.stop()
"""


def test_a_folder_made_while_its_parent_is_looked_into_is_watched_and_nothing_is_said(tmp_path: Path) -> None:
    """In a process of its own, as whoever makes warnings errors would run it."""
    command = [sys.executable, "-W", "error", "-c", MEETING_TWICE, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_folder_that_was_deleted_is_watched_again_when_it_comes_back(watched: Watched) -> None:
    content = watched.folder / "content"
    for turn in range(2):
        shutil.rmtree(content)
        watched.until("content")
        content.mkdir()
        (content / "about.md").write_text(str(turn))
        watched.until("content")
        while not watched.silent(1.5):
            pass
        (content / "about.md").write_text("again")
        watched.until("content/about.md")


def test_a_folder_that_comes_later_is_watched(tmp_path: Path) -> None:
    made = Watched(tmp_path)
    made.start()
    try:
        (tmp_path / "content").mkdir()
        made.until("content")
        (tmp_path / "content" / "a.md").write_text("x")
        made.until("content/a.md")
    finally:
        made.watching.stop()


def test_a_build_that_takes_long_is_not_waited_for(tmp_path: Path) -> None:
    building, built = threading.Event(), threading.Event()

    def build(_: frozenset[Path]) -> None:
        building.set()
        built.wait(30)

    watching = Watching((tmp_path,), build, print)
    watching.start()
    assert building.wait(10)
    try:
        before = time.monotonic()
        watching.stop()
        assert time.monotonic() - before < 15  # and not the 30 that the build takes
    finally:
        built.set()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EMFILE])
def test_without_watches_left_files_are_looked_at_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(Observer, "schedule", full)
    (tmp_path / "content").mkdir()
    made = Watched(tmp_path)
    made.start()
    try:
        assert len(made.told) == 1 and "looking at them every second" in made.told[0]
        (tmp_path / "content" / "a.md").write_text("x")
        made.until("content/a.md")
    finally:
        made.watching.stop()
