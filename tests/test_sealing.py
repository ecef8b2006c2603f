"""Sealing writes a seal that verification accepts, and nothing into what it should not touch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tallystick import digest
from tallystick.errors import Refusal, UsageError
from tallystick.sealing import seal_file


def test_the_seal_stands_in_the_file_and_sealing_again_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "alpha.json"
    file.write_text('{"format": "tallystick-report/1", "z": 1.50, "a": "é"}')
    seal = seal_file(file)
    report = json.loads(file.read_text("utf-8"))
    assert report["seal"] == seal == digest.seal(report)
    once = file.read_bytes()
    assert seal_file(file) == seal
    assert file.read_bytes() == once
    assert [path.name for path in tmp_path.iterdir()] == ["alpha.json"]


def test_what_is_no_native_report_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text('{"schema_version": "other"}')
    with pytest.raises(Refusal, match="format-unknown"):
        seal_file(file)
    assert file.read_text() == '{"schema_version": "other"}'


def test_an_absent_file_is_the_caller_s_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"found no such file or directory.*file-unusable"):
        seal_file(tmp_path / "absent.json")
