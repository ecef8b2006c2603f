"""What the documents say of exports and of frozen tables is so."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import board_made
import synthetic
from tallystick.board import File
from tallystick.cli import main
from tallystick.export import PAGES_AT_MOST, export
from tallystick.frozen.shape import FrozenShape
from tallystick.present import present
from tallystick.render import render
from tallystick.settings import load_withdrawals


def schema(root: Path, name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((root / "docs" / name).read_text("utf-8"))
    return read


def test_every_table_of_a_site_fits_the_published_schema(root: Path) -> None:
    held = jsonschema.Draft202012Validator(schema(root, "tallystick-table-1.schema.json"))
    read = [
        json.loads(file.content)
        for file in render(export(present(synthetic.site())))
        if isinstance(file, File) and re.search(r"tables/[^/]+\.json$", file.path)
    ]
    assert len(read) > 20
    for table in read:
        held.validate(table)


def test_the_schema_of_frozen_tables_is_that_of_the_program(root: Path) -> None:
    published = schema(root, "tallystick-frozen-1.schema.json")
    published.pop("$schema")
    assert published == FrozenShape.model_json_schema()
    for file in (root / "tests" / "golden" / "frozen").glob("*.json"):
        jsonschema.validate(json.loads(file.read_bytes()), published)


def test_the_documents_name_the_formats_and_the_number_of_pages(root: Path) -> None:
    text = (root / "docs" / "exports.md").read_text("utf-8")
    assert f"more than {PAGES_AT_MOST} pages of one kind" in text
    board = {file.path for file in render(present(synthetic.site(base_url="https://example.org")))}
    for name in re.findall(r"^\| (`[^|]*`) \|", text[text.index("## A whole board") :], re.MULTILINE):
        for file in re.findall(r"`([^`]+)`", name):
            assert f"far/{file}" in board, file


def test_the_commands_run_as_written(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (root / "docs" / "citing.md").read_text("utf-8")
    commands = re.findall(r"^tallystick (.*)$", text, re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["freeze", "verify"]
    board_made.make(tmp_path)
    monkeypatch.chdir(tmp_path)
    freeze, verify = commands
    assert main(shlex.split(freeze.replace("dateparse", "made"))) == 0
    (file,) = Path("results/made/frozen").iterdir()
    assert main(verify.replace("<digest>.json", str(file)).replace("path/to/the/repository", ".").split()) == 0


def test_the_withdrawal_can_be_read_as_written(root: Path, tmp_path: Path) -> None:
    text = (root / "docs" / "citing.md").read_text("utf-8")
    (example,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    board_made.make(tmp_path)
    folder = tmp_path / "results/made/withdrawn"
    folder.mkdir()
    (folder / "alpha.yaml").write_text(example, "utf-8")
    (gone,) = load_withdrawals(tmp_path, "made")
    assert (gone.title, gone.reason) == ("Method 1.0", "The model had seen the answers.")


def test_every_code_that_the_document_names_is_the_program_s(root: Path) -> None:
    text = (root / "docs" / "citing.md").read_text("utf-8")
    source = (root / "builder/tallystick/frozen/files.py").read_text("utf-8")
    named = re.findall(r"`(frozen-[a-z]+)`", text)
    assert len(named) == 3
    assert all(f'"{code}"' in source for code in named)
