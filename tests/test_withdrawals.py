"""A withdrawal is a file with a reason and a day; anything else in its folder is a mistake that is named."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

import board_made
from tallystick.board import Withdrawal
from tallystick.errors import SettingsError
from tallystick.pipeline import check, compute
from tallystick.settings import load_withdrawals


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    board_made.make(tmp_path)
    folder = tmp_path / "results/made/withdrawn"
    folder.mkdir()
    return folder


def codes(folder: Path) -> list[str]:
    with pytest.raises(SettingsError) as raised:
        load_withdrawals(folder.parents[2], "made")
    return [problem.code for problem in raised.value.problems]


def test_a_report_is_taken_back_and_keeps_its_place(folder: Path) -> None:
    (folder / "beta.yaml").write_text("reason: Its author asked for it.\ndate: 2026-12-02\n")
    (docket,) = check(folder.parents[2], datetime(2026, 12, 3, tzinfo=UTC), lambda _: None).dockets
    board = compute(docket)
    assert board.withdrawn == (Withdrawal("beta", "Its author asked for it.", date(2026, 12, 2), "beta"),)
    assert "beta" not in {entry.method for entry in board.entries}
    (gone,) = board.refused
    assert (gone.method, gone.outcome, gone.problems[0].code) == ("beta", "withdrawn", "withdrawn")
    assert "Its author asked for it." in gone.problems[0].found


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("beta.yaml", "date: 2026-12-02\n", "key-absent"),
        ("beta.yaml", "reason: x\ndate: yesterday\n", "wrong-value"),
        ("beta.yaml", "reason: x\ndate: 2026-12-02\nby: me\n", "key-unknown"),
        ("beta.json", "{}", "withdrawal-name"),
        ("Beta.yaml", "reason: x\ndate: 2026-12-02\n", "unsafe-id"),
    ],
)
def test_a_mistake_is_named(folder: Path, name: str, text: str, code: str) -> None:
    (folder / name).write_text(text)
    assert codes(folder) == [code]
