"""Permanent pages: the same data files whatever becomes of theme, version and reports, and the state said plainly."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

import board_made
import tallystick
from reading import read_pages, target
from tallystick.board import File, FrozenTable
from tallystick.freeze import freeze
from tallystick.pipeline import build, check, compute
from tallystick.settings import load_site

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def silent(_: str) -> None:
    pass


def froze(root: Path) -> FrozenTable:
    checked = check(root, NOW, silent)
    (docket,) = checked.dockets
    return freeze(root, compute(docket), checked.frozen.get("made", ()), load_site(root), NOW, "for a paper")[0]


def built(root: Path) -> Path:
    build(root, root / "site", NOW, silent)
    return root / "site"


def data(site: Path, table: FrozenTable) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (site / "t" / table.digest).glob("table.*")}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return board_made.make(tmp_path)


def test_data_files_stay_byte_identical_under_another_theme_version_and_other_reports(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = froze(root)
    first = data(built(root), table)
    assert set(first) == {"table.csv", "table.json", "table.tex", "table.bib"}
    assert first["table.json"] == table.content
    (root / "templates").mkdir()
    (root / "templates" / "frozen.html").write_text("<!doctype html><title>{{ title }}</title><p>{{ digest }}")
    (root / "content" / "site.yaml").write_text("title: Moved\ndescription: Away.\nbase_url: https://new.example.org\n")
    assert data(built(root), table) == first
    for module in ("pages._frame", "pages.package", "freeze"):
        monkeypatch.setattr(f"tallystick.{module}.__version__", "99.0")
    monkeypatch.setattr(tallystick, "__version__", "99.0")
    assert data(built(root), table) == first
    board_made.report(root, "delta", "Delta", 0)
    (root / "results/made/reports/alpha.json").unlink()
    assert data(built(root), table) == first
    assert "What changed" in (root / "site/t" / table.digest / "changes.html").read_text("utf-8")


@pytest.mark.parametrize(("title", "told"), [("Łódź & São Paulo – 100%", False), ("Оценка моделей", True)])
def test_an_entry_in_letters_that_pdflatex_lacks_says_so(tmp_path: Path, title: str, told: bool) -> None:
    root = board_made.make(tmp_path, title=title)
    table = froze(root)
    site = built(root)
    for made in (page(site, table), (site / "made/data.html").read_text("utf-8")):
        assert ("XeLaTeX or LuaLaTeX" in made, "for any LaTeX" in made) == (told, not told)


def page(site: Path, table: FrozenTable, name: str = "index.html") -> str:
    return (site / "t" / table.digest / name).read_text("utf-8")


def test_a_current_table_says_so_and_the_live_board_links_it(root: Path) -> None:
    table = froze(root)
    site = built(root)
    assert "<strong>Current.</strong>" in page(site, table)
    assert not (site / "t" / table.digest / "changes.html").exists()
    assert f"../t/{table.digest}/index.html" in (site / "made/index.html").read_text("utf-8")


def test_a_superseded_table_links_what_changed(root: Path) -> None:
    table = froze(root)
    board_made.report(root, "delta", "Delta", 0)
    site = built(root)
    assert "<strong>Superseded.</strong>" in page(site, table)
    assert 'href="changes.html"' in page(site, table)
    changes = page(site, table, "changes.html")
    assert "Delta" in changes
    assert ">added<" in changes


def test_a_withdrawal_leaves_a_tombstone_and_marks_the_frozen_table(root: Path) -> None:
    table = froze(root)
    (root / "results/made/withdrawn").mkdir()
    (root / "results/made/withdrawn/alpha.yaml").write_text("reason: Trained on <the> answers.\ndate: 2026-12-02\n")
    for gone in (False, True):
        if gone:
            (root / "results/made/reports/alpha.json").unlink()
        site = built(root)
        assert "was withdrawn on 2026-12-02" in page(site, table)
        assert "Trained on &lt;the&gt; answers." in page(site, table)
        assert "Trained on &lt;the&gt; answers." in (site / "made/audit.html").read_text("utf-8")
        assert ">withdrawn<" in page(site, table, "changes.html")
        assert "Alpha" not in (site / "made/tables/results.csv").read_text("utf-8")
        assert "withdrawn" in (site / "feed.xml").read_text("utf-8")


def test_a_diagnostic_table_wears_its_mark(tmp_path: Path) -> None:
    root = board_made.make(tmp_path, diagnostic="prompts differ")
    table = froze(root)
    site = built(root)
    assert "prompts differ" in page(site, table)
    assert ">Rank<" not in page(site, table)


def test_every_link_of_a_site_with_frozen_tables_leads_somewhere(root: Path) -> None:
    froze(root)
    board_made.report(root, "delta", "Delta", 0)
    froze(root)
    (root / "results/made/withdrawn").mkdir()
    for method in ("alpha", "beta"):
        (root / f"results/made/withdrawn/{method}.yaml").write_text("reason: Asked for.\ndate: 2026-12-02\n")
    (root / "results/made/reports/alpha.json").unlink()
    site = built(root)
    files = tuple(
        File(file.relative_to(site).as_posix(), file.read_bytes()) for file in site.rglob("*") if file.is_file()
    )
    pages, there = read_pages(files), {file.path for file in files}
    followed = 0
    for one in pages.values():
        for link in one.links:
            if not link.startswith(("https://", "/")):
                path, fragment = target(one.path, link)
                assert path in there, f"{one.path}: {link}"
                assert not fragment or fragment in pages[path].ids, f"{one.path}: {link}"
                followed += 1
    assert followed > 100
