"""Settings become values, over defaults of the protocol; mistakes are all told (tests/faults holds their messages)."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tallystick import metrics
from tallystick.board import Link, Prose
from tallystick.digest import sha256
from tallystick.errors import SettingsError
from tallystick.model import Benchmark, BootstrapSettings, DeclaredComparison, Limits, MetricKind, Showing, Varying
from tallystick.protocols.native import PROTOCOL
from tallystick.registry import collect
from tallystick.settings import load_benchmark, load_prose, load_site

KINDS = collect(metrics, "METRIC", MetricKind)
ROWS: list[dict[str, Any]] = [
    {"id": "b", "meta": {"group": "x"}, "split": "dev", "kind": "p"},
    {"id": "c", "meta": {"group": None}, "split": "test", "kind": "q"},
    {"id": "a", "meta": {}, "split": "dev", "kind": "q"},
]
FULL = """
title: Full
description: All there is.
fingerprint: {benchmark: "1234", corpus: {varies: each brings its own}}
axes: [kind, meta.group]
stratum: kind
cluster: meta.group
metrics:
  - {id: right, title: Right, binary: true}
  - {id: f1, title: F1, kind: micro_f1, fields: {gold: g, predicted: p, true_positives: t}, lower: null}
primary: f1
ranked: [right, f1]
comparisons:
  - {baseline: base, candidates: all, family: everyone}
  - {baseline: full, candidates: [a, b], family: ablations}
bootstrap: {resamples: 500}
diagnostic: a try
created: 2026-02-03
options: {depth: 3, more: [1, {a: b}]}
accepts: [rounding]
links: {Paper: https://example.org/paper}
limits: {file_mb: 5}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "results/full").mkdir(parents=True)
    (tmp_path / "content").mkdir()
    return tmp_path


def load(root: Path, settings: str = FULL, rows: str | None = None, **samples: object) -> Benchmark:
    name = str(samples.pop("path", "samples.jsonl"))
    content = ("".join(json.dumps(row) + "\n" for row in ROWS) if rows is None else rows).encode()
    (root / "results/full" / name).write_bytes(content)
    pinned = json.dumps({"path": name, "sha256": sha256(content), **samples})
    (root / "results/full/benchmark.yaml").write_text(f"{settings}\nsamples: {pinned}\n")
    return load_benchmark(root, "full", [PROTOCOL], KINDS)


def mistakes(root: Path, settings: str) -> str:
    with pytest.raises(SettingsError) as raised:
        load(root, settings)
    return str(raised.value)


def test_every_key_arrives(root: Path) -> None:
    benchmark = load(root)
    assert (benchmark.id, benchmark.title, benchmark.description) == ("full", "Full", "All there is.")
    assert benchmark.fingerprint.benchmark == "1234"
    assert benchmark.fingerprint.corpus == Varying("each brings its own")
    assert benchmark.fingerprint.implementation is None
    assert benchmark.comparisons == (
        DeclaredComparison("base", ("*",), "everyone"),
        DeclaredComparison("full", ("a", "b"), "ablations"),
    )
    assert benchmark.bootstrap == BootstrapSettings(500, 1729, 0.95)
    assert benchmark.diagnostic == "a try"
    assert benchmark.created == datetime(2026, 2, 3, tzinfo=UTC)
    assert benchmark.options == {"depth": 3, "more": [1, {"a": "b"}]}
    assert benchmark.accepts == ("rounding",)
    assert benchmark.links == {"Paper": "https://example.org/paper"}
    assert benchmark.limits == Limits(file_mb=5)
    assert (benchmark.primary, benchmark.ranked) == ("f1", ("right",))


def test_how_a_board_is_shown_stands_among_the_options(root: Path) -> None:
    assert load(root).showing == Showing()
    told = FULL.replace("options: {depth: 3,", "options: {depth: 3, sample_pages: 7, small_overlap: 1, pair_pages: 0,")
    benchmark = load(root, told)
    assert benchmark.showing == Showing(sample_pages=7, pair_pages=0, small_overlap=1.0)
    assert benchmark.options["depth"] == 3
    wrong = mistakes(root, FULL.replace("{depth: 3,", "{depth: 3, sample_pages: -1, small_overlap: 50,"))
    assert "/options/sample_pages" in wrong
    assert "/options/small_overlap" in wrong


def test_fields_come_in_the_order_of_the_kind(root: Path) -> None:
    right, f1 = load(root).metrics
    assert right.fields == {"value": "right"}
    assert list(f1.fields.items()) == [("true_positives", "t"), ("predicted", "p"), ("gold", "g")]
    assert f1.lower is None


def test_samples_come_sorted_with_their_axes(root: Path) -> None:
    samples = load(root).samples
    assert samples.ids == ("a", "b", "c")
    assert samples.axes == {"kind": ("q", "p", "q"), "meta.group": (None, "x", None)}
    assert samples.strata == ("q", "p", "q")
    assert samples.clusters == (None, "x", None)
    assert samples.positions == (2, 0, 1)
    assert samples.rows[0] == ROWS[2]


def test_a_selection_keeps_only_its_samples(root: Path) -> None:
    assert load(root, select={"split": "dev"}).samples.ids == ("a", "b")
    with pytest.raises(SettingsError, match="samples-none"):
        load(root, select={"split": "train"})


def test_one_stratum_where_none_is_declared(root: Path) -> None:
    samples = load(root, FULL.replace("stratum: kind", "").replace("cluster: meta.group", "")).samples
    assert samples.strata == ("all",) * 3
    assert samples.clusters is None


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("samples.json", '[{"key": "NA", "kind": "k"}, {"key": "1.0", "kind": null}]'),
        ("samples.csv", "key,kind\r\nNA,k\r\n1.0,\r\n"),
        ("samples.jsonl", '{"key": "NA", "kind": "k"}\r\n\r\n{"key": "1.0"}'),
    ],
)
def test_samples_in_each_form(root: Path, name: str, rows: str) -> None:
    settings = "title: T\nmetrics: [{id: m, title: M}]\naxes: [kind]"
    samples = load(root, settings, rows, path=name, id="key").samples
    assert samples.ids == ("1.0", "NA")
    assert samples.axes == {"kind": (None, "k")}


def test_a_protocol_brings_defaults_that_the_file_overrides_key_by_key(root: Path) -> None:
    defaults = {
        "title": "Default",
        "bootstrap": {"resamples": 300, "seed": 5},
        "axes": ["kind"],
        "metrics": [{"id": "m", "title": "M", "upper": 7.0}, {"id": "n", "title": "N"}],
    }
    protocol = replace(PROTOCOL, id="other", defaults=defaults)
    settings = "protocol: other\nbootstrap: {seed: 6}\n"
    load(root)
    pinned = (root / "results/full/benchmark.yaml").read_text().splitlines()[-1]

    def with_(text: str) -> Benchmark:
        (root / "results/full/benchmark.yaml").write_text(f"{settings}{text}\n{pinned}\n")
        return load_benchmark(root, "full", [PROTOCOL, protocol], KINDS)

    plain = with_("")
    assert plain.title == "Default"
    assert plain.bootstrap == BootstrapSettings(300, 6)
    assert [metric.id for metric in plain.metrics] == ["m", "n"]
    assert plain.primary == "m"
    chosen = with_("metrics: [{id: n, title: Mine}, {id: m}]")
    assert [(metric.title, metric.upper) for metric in chosen.metrics] == [("Mine", 1.0), ("M", 7.0)]


def test_supplements_are_read_once_and_pinned(root: Path) -> None:
    (root / "results/full/gold.jsonl").write_bytes(b"gold")
    digest = sha256(b"gold")
    gold = load(root, f"{FULL}supplements: {{gold: {{path: gold.jsonl, sha256: {digest}}}}}").supplements["gold"]
    assert (gold.path, gold.digest, gold.content) == ("gold.jsonl", digest, b"gold")
    other = f"{FULL}supplements: {{gold: {{path: gold.jsonl, sha256: {sha256(b'other')}}}}}"
    assert "line 23 /supplements/gold/sha256: expected gold.jsonl to have the SHA-256" in mistakes(root, other)


def test_mistakes_of_file_and_samples_are_told_together(root: Path) -> None:
    found = mistakes(root, FULL.replace("primary: f1", "primary: f2").replace("cluster: meta.group", "cluster: none"))
    assert "[metric-unknown]" in found
    assert "line 12 /ranked/1: expected" in mistakes(root, FULL.replace("ranked: [right, f1]", "ranked: [right, f2]"))
    assert "[sample-axis]" in found


def test_a_site_has_few_settings(root: Path) -> None:
    (root / "content/site.yaml").write_text(
        "title: T\nbase_url: https://example.org/x/\nlinks:\n  - {text: Docs, href: docs/index.html}\n"
    )
    site = load_site(root)
    assert (site.title, site.base_url, site.footer) == ("T", "https://example.org/x", "")
    assert site.links == (Link("Docs", "docs/index.html"),)


def test_a_folder_that_is_no_board_is_told_how_to_begin_one(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"site\.yaml: .*`tallystick init DIR`.*file-absent"):
        load_site(tmp_path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("links: [{text: x, href: 'javascript:alert(1)'}]", "line 2 /links/0/href"),
        ("links: [{text: x, href: //example.org}]", "line 2 /links/0/href"),
        ("links: [{text: x, href: ../../elsewhere}]", "a path inside the site"),
        ("base_url: http://example.org", "line 2 /base_url"),
        ("base_url: 'https://example.org/?page=1'", "without ? and #"),
        ("footr: x", "Did you mean `footer`?"),
    ],
)
def test_a_wrong_site_is_told_where(root: Path, line: str, said: str) -> None:
    (root / "content/site.yaml").write_text(f"title: T\n{line}\n")
    with pytest.raises(SettingsError) as raised:
        load_site(root)
    assert said in str(raised.value)


def test_a_site_without_settings_is_told(root: Path) -> None:
    with pytest.raises(SettingsError, match=r"content/site\.yaml: expected a file, found none"):
        load_site(root)


def test_prose_comes_in_order(root: Path) -> None:
    (root / "content/b.md").write_text("---\ntitle: B\n---\nText\n\n---\n\nmore\n")
    (root / "content/a.md").write_text("---\r\ntitle: A\r\norder: 1\r\ndescription: D\r\n---\r\n\r\n# A\r\n")
    (root / "content/README.md").write_text("no page")
    assert load_prose(root) == (
        Prose("b", "B", "", "Text\n\n---\n\nmore\n"),
        Prose("a", "A", "D", "# A\n", 1),
    )


def test_mistakes_of_all_prose_are_told_at_once(root: Path) -> None:
    (root / "content/a.md").write_text("# no front matter\n")
    (root / "content/b.md").write_text("---\ntitle: B\ntitel: B\n---\n")
    (root / "content/C.md").write_text("---\ntitle: C\n---\n")
    with pytest.raises(SettingsError) as raised:
        load_prose(root)
    assert [(problem.code, problem.where) for problem in raised.value.problems] == [
        ("unsafe-id", "content/C.md"),
        ("front-matter-absent", "content/a.md line 1"),
        ("key-unknown", "content/b.md line 3 /titel"),
    ]
