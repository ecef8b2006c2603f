"""Every log format has a page, every command on it runs, and its output is what the page shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tallystick.cli import main
from tallystick.imported import Importer
from tallystick.importing import importers

BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = [*sorted((DOCS / "formats").glob("*.md")), DOCS / "bring-your-results.md"]


def steps(page: str) -> list[tuple[str, str]]:
    """Return each command of a page with the output shown after it."""
    found = []
    for block in BLOCK.findall(page):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = step.split("\n")
            end = next(index for index, line in enumerate(lines) if not line.endswith("\\")) + 1
            found.append((" ".join(line.rstrip("\\") for line in lines[:end]), "\n".join(lines[end:])))
    return found


def settled(output: str) -> str:
    """Leave out how many files a site has: pages come and go."""
    return re.sub(r"\d+ files, [\d.]+ \w+, in (\S+), \d+ changed", r"files in \1", output)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_commands_on_a_page_do_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").symlink_to(DOCS)
    monkeypatch.chdir(tmp_path)
    for command, shown in steps(page.read_text(encoding="utf-8")):
        program, *arguments = shlex.split(command)
        assert program == "tallystick"
        kept = ">" not in arguments
        assert main(arguments if kept else arguments[: arguments.index(">")]) == 0
        output = capsys.readouterr().out
        assert settled(output if kept else "") == settled(shown)


@pytest.mark.parametrize("importer", importers(), ids=lambda importer: importer.id)
def test_every_format_has_a_page_with_its_options_and_limits(importer: Importer) -> None:
    page = (DOCS / "formats" / f"{importer.id}.md").read_text(encoding="utf-8")
    assert "```console\n$ tallystick add docs/formats/examples/" in page
    assert "## What it cannot prove" in page
    for option in importer.options:
        assert option in page
    assert f"({importer.id}.md)" in (DOCS / "formats" / "README.md").read_text(encoding="utf-8")


def test_every_known_difference_is_documented() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in Path(*importers_folder()).glob("*.py"))
    pages = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    names = set(re.findall(r'"((?:lm-eval|inspect|terminal-bench|swebench)-[a-z-]+)"', source))
    assert len(names) >= 5
    assert not {name for name in names if f"`{name}`" not in pages}


def importers_folder() -> tuple[str, ...]:
    """Return where the importers lie."""
    import tallystick.importers

    return tuple(tallystick.importers.__path__)
