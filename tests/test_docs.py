"""The documentation and the program say the same: keys, commands, codes, kinds, examples and links."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import jsonschema
import pytest
import yaml

from cases import ACCURACY, make_benchmark, make_report
from problem_codes import codes
from tallystick import commands, importers, metrics, pages, protocols
from tallystick.board import PageType
from tallystick.cli import parser
from tallystick.command import Command
from tallystick.compare import compare_pairs
from tallystick.imported import Importer
from tallystick.model import MetricKind, Protocol
from tallystick.registry import collect
from tallystick.schemas import schema

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.rglob("*.md")), *sorted(ROOT.glob("*.md"))]
KNOWN = collect(commands, "COMMAND", Command)


def text_of(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text_of(page), re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_what_is_generated_is_what_the_program_says(page: Path, generator: ModuleType) -> None:
    text = page.read_text("utf-8")
    assert generator.generated(text) == text, "run: python docs/generate.py"


def test_each_generated_part_stands_somewhere(generator: ModuleType) -> None:
    text = "".join(page.read_text("utf-8") for page in DOCS.glob("*.md"))
    for name in generator.BLOCKS:
        assert text.count(f"<!-- generated: {name} -->") == 1, name


@pytest.mark.parametrize("kind", ["report", "benchmark", "site", "withdrawal"])
def test_every_key_of_a_schema_has_its_line(kind: str, generator: ModuleType) -> None:
    table, found = generator.keys(schema(kind)), schema(kind)
    for part in (found, *found.get("$defs", {}).values()):
        for key in part["properties"]:
            assert f"\n| `{key}` |" in table, key


# --- what there is, is documented -----------------------------------------------------------------------------------


def test_every_problem_code_has_its_meaning_and_no_other_has() -> None:
    rows = re.findall(r"^\| `([^`]+)` \| (.+) \| (.+) \|$", text_of("docs/problems.md"), re.MULTILINE)
    listed = [code for code, *_ in rows]
    assert sorted(listed) == sorted(set(listed))
    found = codes()
    assert {code: module for code, module in found.items() if code not in listed} == {}
    assert set(listed) - found.keys() == set()
    assert all(meaning.strip() and remedy.strip() for _, meaning, remedy in rows)


def test_the_reader_of_codes_sees_them_all() -> None:
    found = codes()
    assert {"seal-mismatch", "run-demo", "duplicate-key", "byte-order-mark"} <= set(found)
    assert {"fingerprint-*", "review-stale", "partition-overlap", "more-problems"} <= set(found)


@pytest.mark.parametrize("command", KNOWN, ids=lambda command: command.name)
def test_every_command_is_documented(command: Command) -> None:
    assert f"\n## {command.name}\n" in text_of("docs/commands.md")
    assert f"| `tallystick {command.name}" in text_of("README.md")


def test_every_kind_of_thing_is_documented() -> None:
    settings, overview = text_of("docs/settings.md"), text_of("docs/README.md")
    for protocol in collect(protocols, "PROTOCOL", Protocol):
        assert f"| `{protocol.id}` |" in settings, protocol.id
    for kind in collect(metrics, "METRIC", MetricKind):
        (line,) = re.findall(rf"^\| `{kind.id}` \| (.*?) \|", settings, re.MULTILINE)
        assert all(f"`{name}`" in line for name in kind.statistics), kind.id
    for page_type in collect(pages, "PAGE", PageType):
        assert f"| `{page_type.id}` |" in overview, page_type.id
    for importer in collect(importers, "IMPORTER", Importer):
        assert (DOCS / f"formats/{importer.id}.md").is_file(), importer.id


# --- examples hold --------------------------------------------------------------------------------------------------


def test_the_example_of_a_report_is_one() -> None:
    (example,) = blocks("docs/reports.md", "json")
    document = {**json.loads(example), "seal": "0" * 64}
    jsonschema.Draft202012Validator(schema("report")).validate(document)
    assert "method" in document


def test_the_example_of_settings_is_whole() -> None:
    (example,) = blocks("docs/settings.md", "yaml")
    jsonschema.Draft202012Validator(schema("benchmark")).validate(yaml.safe_load(example))


def test_the_ten_lines_compute_what_the_program_computes() -> None:
    (program,) = blocks("docs/computation.md", "python")
    assert len(program.replace("\n\n", "\n").splitlines()) == 10
    run = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    benchmark = make_benchmark(["easy"] * 3 + ["hard"] * 3, [ACCURACY], resamples=2000)
    baseline = make_report("baseline", {"accuracy": [1, 0, 1, 0, 0, 1]})
    candidate = make_report("candidate", {"accuracy": [1, 1, 1, 1, 0, 0]})
    (found,) = compare_pairs([(baseline, candidate)], benchmark)
    assert found.interval is not None
    assert [float(word) for word in run.stdout.split()] == [
        found.interval.lower,
        found.interval.upper,
        found.probability,
    ]


def commands_shown() -> Iterator[tuple[str, str]]:
    """Yield every command line of ours in the documentation, and the page where it stands."""
    for page in PAGES:
        text = page.read_text("utf-8")
        lines = [
            line
            for block in re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
            for line in block.splitlines()
        ]
        lines += re.findall(r"`(tallystick [a-z][^`\n]*)`", text)
        for line in lines:
            if line.startswith("tallystick "):
                yield page.relative_to(ROOT).as_posix(), re.split(r" [>|#]| && | \|\| ", line)[0]


SHOWN = sorted(set(commands_shown()))


@pytest.mark.parametrize(("page", "line"), SHOWN)
def test_every_command_that_is_shown_can_be_given(page: str, line: str) -> None:
    words = [word for word in shlex.split(line)[1:] if word != "…"]
    if words[0] == "@" or words[0].startswith("=="):
        return  # a requirement, not a command
    name = {command.name for command in KNOWN}
    assert words[0] in name, f"{page}: {line}"
    if len(words) > 1 or line in ("tallystick check", "tallystick build", "tallystick serve"):
        words = [{"KIND": "report", "SHELL": "bash"}.get(word, word) for word in words]
        parser(KNOWN).parse_args(words)


def test_no_extra_is_taken_from_an_index_that_has_no_release() -> None:
    written = [*PAGES, *(ROOT / "builder").rglob("*.py"), *(ROOT / "builder").rglob("*.md")]
    for page in written:
        found = re.findall(r"pip install '?tallystick|tallystick\[\w", page.read_text("utf-8"))
        assert found == [], page


def test_every_extra_for_boards_is_told_in_one_place() -> None:
    extras = tomllib.loads(text_of("pyproject.toml"))["project"]["optional-dependencies"]
    told = re.findall(r"^\| `(\w+)` \|", text_of("docs/publishing.md").split("\n## Extras\n")[1], re.MULTILINE)
    assert sorted(told) == sorted(extras.keys() - {"test", "dateparse"})


def test_the_make_targets_that_are_named_exist() -> None:
    makefile = text_of("Makefile")
    for page in ("README.md", "CONTRIBUTING.md"):
        for target in re.findall(r"(?:`|^)make ([a-z]+)\b", text_of(page), re.MULTILINE):
            assert f"\n{target}:" in makefile, f"{page}: make {target}"


# --- links resolve --------------------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """Return the anchors that a page of this name has where Markdown is shown: GitHub's rule for headings."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_resolve(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            assert target.startswith(("https://", "mailto:")), target
            continue
        path, _, anchor = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        assert place.exists(), f"{page.name}: {target}"
        if anchor and place.suffix == ".md":
            assert anchor in anchors(place), f"{page.name}: {target}"


def test_every_page_is_reached_from_the_overview() -> None:
    overview = text_of("docs/README.md")
    for page in DOCS.glob("*.md"):
        assert page.name == "README.md" or f"({page.name})" in overview, page.name
