"""The preview against the build: the same bytes after every edit, and only what the edit touches made anew."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sized_board import write_board, write_report
from tallystick import pipeline, preview
from tallystick.errors import Problem, SettingsError
from tallystick.preview import Preview

NOW = datetime(2027, 1, 1, tzinfo=UTC)
URL = "http://127.0.0.1:8000/repo"


class Writing:
    """A board repository that is being written, and its preview."""

    def __init__(self, root: Path) -> None:
        self.root = root
        write_board(root, 5, 20)
        self.write("content/about.md", "---\ntitle: About\n---\nFirst words.\n")
        self.told: list[Problem] = []
        self.preview = Preview(root, f"{URL}/", lambda: NOW, self.told.extend)
        self.site = self.preview.site(())

    def write(self, path: str, text: str) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
        return place

    def edit(self, path: str, text: str) -> None:
        self.site = self.preview.site((self.write(path, text),))

    def built(self) -> dict[str, bytes]:
        out = self.root.parent / "site"
        pipeline.build(self.root, out, NOW, lambda _: None, URL)
        found = {path.relative_to(out).as_posix(): path for path in out.rglob("*") if path.is_file()}
        files = {name: path.read_bytes() for name, path in found.items() if name != ".tallystick"}
        shutil.rmtree(out)
        return files

    def text(self, path: str) -> str:
        found = self.site.content(path)
        assert found is not None
        return found.decode()


@pytest.fixture
def writing(tmp_path: Path) -> Writing:
    return Writing(tmp_path / "board")


def replaced(path: Path, before: str, after: str) -> None:
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")


def edits(root: Path) -> Iterator[tuple[str, Sequence[Path]]]:
    """Make one edit after the other, and yield what each was and which paths it touched."""
    about = root / "content" / "about.md"
    replaced(about, "First", "Second")
    yield "prose", [about]
    replaced(root / "content" / "site.yaml", "Made", "Remade")
    yield "settings", [root / "content" / "site.yaml"]
    with (root / "content" / "site.yaml").open("a", encoding="utf-8") as settings:
        settings.write("\nfigures: [pdf, png]\n")
    yield "figures for print", [root / "content" / "site.yaml"]
    (root / "content" / "new.md").write_text("---\ntitle: New\n---\n", "utf-8")
    yield "another page", [root / "content" / "new.md"]
    about.unlink()
    yield "a page that went", [about]
    write_report(root, 2, 20, draw=1)
    yield "report", [root / "results" / "made" / "reports" / "m0002.json"]
    (root / "results" / "made" / "reports" / "m0003.json").write_text("{", "utf-8")
    yield "a broken report", [root / "results" / "made" / "reports" / "m0003.json"]
    replaced(root / "results" / "made" / "benchmark.yaml", "title: Made", "title: Other")
    yield "benchmark", [root / "results" / "made" / "benchmark.yaml"]
    shutil.copytree(root / "results" / "made", root / "results" / "twin")
    yield "another board", [root / "results" / "twin"]
    shutil.rmtree(root / "results" / "made")
    yield "a board that went", [root / "results" / "made"]
    (root / "templates" / "static").mkdir(parents=True)
    (root / "templates" / "missing.html").write_text("gone: {{ path }}", "utf-8")
    yield "template", [root / "templates" / "missing.html"]
    (root / "templates" / "static" / "style.css").write_text("body { color: red }", "utf-8")
    yield "style", [root / "templates" / "static" / "style.css"]
    shutil.rmtree(root / "templates")
    yield "templates that went", [root / "templates"]


def test_after_every_edit_each_file_is_the_one_that_a_build_makes(writing: Writing) -> None:
    for what, paths in edits(writing.root):
        writing.site = writing.preview.site(paths)
        for path, content in writing.built().items():
            assert writing.site.content(path) == content, (what, path)
        for path in ("made/gone.html", "assets", "made/tables/gone.csv", "", "about.md"):
            assert writing.site.content(path) is None, (what, path)


def counted(monkeypatch: pytest.MonkeyPatch, module: object, name: str) -> list[object]:
    calls: list[object] = []
    real: Callable[..., object] = getattr(module, name)

    def counting(*arguments: object) -> object:
        calls.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(module, name, counting)
    return calls


@pytest.mark.parametrize(
    ("path", "made_anew"),
    [
        ("content/about.md", {"load_prose"}),
        ("templates/prose.html", {"Renderer"}),
        ("templates/static/style.css", {"Renderer"}),
        ("results/made/reports/m0001.json", {"discover", "board"}),
        ("results/made/benchmark.yaml", {"discover", "board"}),
        ("results/twin/benchmark.yaml", {"discover"}),
    ],
)
def test_what_was_edited_decides_what_is_made_anew(
    writing: Writing, monkeypatch: pytest.MonkeyPatch, path: str, made_anew: set[str]
) -> None:
    places = {
        "load_prose": preview,
        "Renderer": preview,
        "discover": preview,
        "board": pipeline,
    }
    calls = {name: counted(monkeypatch, module, name) for name, module in places.items()}
    writing.preview.site((writing.root / path,))
    assert {name for name, found in calls.items() if found} == made_anew


def test_a_changed_report_costs_no_other_report_its_estimates(
    writing: Writing, monkeypatch: pytest.MonkeyPatch
) -> None:
    estimated: list[str] = []
    real = pipeline.estimate

    def counting(reports: Sequence[object], **settings: object) -> object:
        estimated.extend(report.method.id for report in reports)  # type: ignore[attr-defined]
        return real(reports, **settings)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "estimate", counting)
    writing.preview.site((write_report(writing.root, 3, 20, draw=1),))
    assert estimated == ["m0003"]


def test_pages_are_rendered_when_they_are_asked_for(writing: Writing, monkeypatch: pytest.MonkeyPatch) -> None:
    from tallystick import render

    rendered = counted(monkeypatch, render, "_render")
    writing.edit("templates/prose.html", "{{ title }}")
    assert rendered == []
    assert writing.text("about.html") == "About"
    assert len(rendered) == 1


def test_a_mistake_leaves_no_trace(writing: Writing) -> None:
    about = writing.site.content("about.html")
    with pytest.raises(SettingsError, match=r"content/site\.yaml"):
        writing.edit("content/site.yaml", "title: [")
    assert writing.site.content("about.html") == about
    writing.write("content/site.yaml", "title: Mended\n")
    writing.site = writing.preview.site((writing.root / "content" / "site.yaml",))
    assert "Mended" in writing.text("about.html")


def test_a_template_that_fails_says_its_line_and_spares_other_pages(writing: Writing) -> None:
    writing.edit("templates/prose.html", "\n\n{{ nowhere }}")
    with pytest.raises(SettingsError, match=r"templates/prose\.html line 3: .*'nowhere' is undefined"):
        writing.site.content("about.html")
    assert "Made" in writing.text("made/index.html")
    writing.edit("templates/prose.html", "healed")
    assert writing.text("about.html") == "healed"


def test_what_is_wrong_with_a_report_is_told_once(writing: Writing) -> None:
    for _ in range(2):
        writing.edit("results/made/reports/m0001.json", "{")
    assert len(writing.told) == 1
    assert writing.told[0].where.startswith("results/made/reports/m0001.json")
    writing.site = writing.preview.site((write_report(writing.root, 1, 20),))
    writing.edit("results/made/reports/m0001.json", "{")
    assert len(writing.told) == 2


def test_memory_does_not_grow_with_edits(writing: Writing) -> None:
    held = []
    for draw in range(6):
        writing.site = writing.preview.site((write_report(writing.root, 2, 20, draw=draw % 2),))
        cache = writing.preview._workshops["made"].cache
        assert cache is not None
        held.append(len(cache._held))
    assert len(set(held[1:])) == 1


def test_no_built_file_knows_of_the_preview(writing: Writing) -> None:
    for path, content in writing.built().items():
        assert not re.search(rb"/-/|reload\.js|EventSource|tallystick-preview", content), path


def test_the_program_s_own_templates_are_watched(writing: Writing) -> None:
    assert {folder.name for folder in writing.preview.folders} == {"content", "results", "templates"}
    assert len(writing.preview.folders) == 4
    writing.site = writing.preview.site((writing.preview.folders[-1] / "prose.html",))
    assert "About" in writing.text("about.html")
