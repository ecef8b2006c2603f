"""A file is replaced whole or not at all."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import NoReturn

import pytest

from tallystick.replacing import replace_file


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    replace_file(tmp_path / "a.json", b"one")
    replace_file(tmp_path / "a.json", b"two")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.json", b"two")]


def test_a_full_disk_leaves_what_was_there_and_nothing_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_file(tmp_path / "a.json", b"one")

    def full(path: Path, content: bytes) -> NoReturn:
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space"):
        replace_file(tmp_path / "a.json", b"two")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.json", b"one")]


def test_a_folder_in_the_way_is_no_file_to_replace(tmp_path: Path) -> None:
    (tmp_path / "a.json").mkdir()
    with pytest.raises(OSError, match=r"a\.json"):
        replace_file(tmp_path / "a.json", b"one")
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
