"""The cache gives back what was kept or nothing: whatever happens to its folder."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tallystick import cache as module
from tallystick.cache import Cache, code, default_folder, key


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "swept")


def test_what_is_kept_is_found_by_another_object(tmp_path: Path) -> None:
    Cache(tmp_path).keep(key("stage", "input"), ("a value", 1.5))
    assert Cache(tmp_path).recall(key("stage", "input")) == ("a value", 1.5)
    assert Cache(tmp_path).recall(key("stage", "other input")) is None


def test_without_a_folder_it_is_a_memory() -> None:
    memory = Cache()
    value = ("a value",)
    memory.keep("name", value)
    assert memory.recall("name") is value
    assert Cache().recall("name") is None


def test_a_key_is_of_stage_and_inputs_and_code(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {key("a", "b", "c"), key("a", "bc"), key("ab", "c"), key("a", "c", "b"), key("a", "b")}
    assert len(names) == 5
    monkeypatch.setattr(module, "code", lambda: "other code")
    assert key("a", "b", "c") not in names


def test_every_source_file_and_what_it_rests_upon_make_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    before = code.__wrapped__()
    assert before == code()
    monkeypatch.setattr(module, "sha256", lambda content: "another file")
    monkeypatch.setattr(module, "version", lambda name: "another version" if name == "numpy" else "same")
    assert code.__wrapped__() != before


def swapped(path: Path) -> None:
    path.write_bytes(files(path.parents[1])[-1].read_bytes())


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a byte": lambda path: path.write_bytes(path.read_bytes()[:-1] + b"!"),
    "the end": lambda path: path.write_bytes(path.read_bytes()[:-3]),
    "everything": lambda path: path.write_bytes(b""),
    "another value's file": swapped,
    "a folder in its place": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_no_file(tmp_path: Path, damage: Callable[[Path], object]) -> None:
    place = Cache(tmp_path)
    place.keep("00" + "1" * 62, "one")
    place.keep("ff" + "2" * 62, "two")
    first = files(tmp_path)[0]
    damage(first)
    assert Cache(tmp_path).recall("00" + "1" * 62) is None
    assert Cache(tmp_path).recall("ff" + "2" * 62) == "two"


def test_a_folder_that_others_may_write_to_is_not_used(tmp_path: Path) -> None:
    Cache(tmp_path).keep("0" * 64, "kept")
    tmp_path.chmod(0o777)
    assert Cache(tmp_path).recall("0" * 64) is None
    tmp_path.chmod(0o700)
    assert Cache(tmp_path).recall("0" * 64) == "kept"


def test_a_linked_folder_is_not_used(tmp_path: Path) -> None:
    Cache(tmp_path / "real").keep("0" * 64, "kept")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert Cache(tmp_path / "link").recall("0" * 64) is None


def test_a_folder_that_cannot_be_made_or_written_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    place = Cache(tmp_path / "file" / "cache")
    place.keep("name", "value")
    assert place.recall("name") == "value"
    folder = tmp_path / "cache"
    full = Cache(folder)
    (folder / "na").write_text("in the way")
    full.keep("name", "value")
    assert full.recall("name") == "value"


def test_many_writers_of_one_value_leave_one_whole_file(tmp_path: Path) -> None:
    def write(number: int) -> None:
        Cache(tmp_path).keep("0" * 64, ["value"] * 1000)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(40)))
    assert len(files(tmp_path)) == 1
    assert Cache(tmp_path).recall("0" * 64) == ["value"] * 1000


def test_settling_lets_go_of_what_was_not_used(tmp_path: Path) -> None:
    memory = Cache()
    memory.keep("used", 1)
    memory.keep("unused", 2)
    memory.settle()
    memory.recall("used")
    memory.settle()
    assert (memory.recall("used"), memory.recall("unused")) == (1, None)


def test_files_that_nobody_used_for_a_month_are_swept_once_a_day(tmp_path: Path) -> None:
    place = Cache(tmp_path)
    place.keep("00" + "1" * 62, "old")
    place.keep("ff" + "2" * 62, "new")
    old = files(tmp_path)[0]
    month_ago = time.time() - 31 * 86_400
    os.utime(old, (month_ago, month_ago))
    place.settle()
    assert not old.exists()
    assert len(files(tmp_path)) == 1
    (left,) = files(tmp_path)
    os.utime(left, (month_ago, month_ago))
    place.settle()
    assert left.exists(), "swept a moment ago"


def test_a_value_in_use_keeps_its_file(tmp_path: Path) -> None:
    Cache(tmp_path).keep("0" * 64, "value")
    (path,) = files(tmp_path)
    month_ago = time.time() - 31 * 86_400
    os.utime(path, (month_ago, month_ago))
    reader = Cache(tmp_path)
    reader.recall("0" * 64)
    reader.settle()
    assert path.exists()


def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    Cache(tmp_path / "cache").keep("0" * 64, "value")
    if sys.platform != "win32":
        assert (tmp_path / "cache").stat().st_mode & 0o077 == 0


def test_it_lies_in_the_users_own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "tallystick"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    if sys.platform != "win32":
        assert default_folder() == tmp_path / ".cache" / "tallystick"
