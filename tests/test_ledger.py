"""Denominators of whole boards: real runs whose tasks ended in many ways, and small cases that went wrong elsewhere."""

from __future__ import annotations

import shutil
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cases import ACCURACY, make_benchmark, make_report
from tallystick.board import Board, Docket, Judgement, Site, SiteSettings
from tallystick.digest import sha256
from tallystick.model import Benchmark, Report
from tallystick.pages.axis import PAGE as AXIS
from tallystick.pages.board import PAGE as BOARD
from tallystick.pipeline import check, compute

NOW = datetime(2027, 1, 1, tzinfo=UTC)
SETTINGS = """\
title: Agents
protocol: textinsight
samples: {{sha256: {tasks}}}
fingerprint:
  benchmark: {tasks}
  configuration: {{varies: each task's run has a configuration of its own}}
  implementation: {evaluator}
diagnostic: The configurations of the runs differ.
"""
EVALUATOR = "02859e16946586e4675c5cc2c6f09afd79306e798b50b1ca7d505c9de89af6ec"


@pytest.fixture(scope="module")
def agents(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Board:
    """Return the board of the real runs of three agents on fifty tasks."""
    root = tmp_path_factory.mktemp("agents")
    folder = root / "results" / "agents"
    folder.mkdir(parents=True)
    for name in ("tasks.json", "agent-runs.json"):
        shutil.copy(shared / "textinsight" / name, folder)
    tasks = sha256((folder / "tasks.json").read_bytes())
    (folder / "benchmark.yaml").write_text(SETTINGS.format(tasks=tasks, evaluator=EVALUATOR))
    (docket,) = check(root, NOW, lambda _: None).dockets
    return compute(docket)


def contexts(page: object, board: Board) -> dict[str, dict[str, object]]:
    site = Site(SiteSettings("Site", "", None, "", ()), (board,), ())
    return {document.path: dict(document.context) for document in page.documents(site)}  # type: ignore[attr-defined]


def test_three_agents_account_for_fifty_tasks_each(agents: Board) -> None:
    found = {entry.method: dict(entry.ledger.counts) for entry in agents.entries}
    counts = sorted((one["scored"], one["unresolved"], one["invalid"]) for one in found.values())
    assert counts == [(22, 7, 21), (23, 3, 24), (25, 6, 19)]
    means = {entry.ledger.counts["scored"]: entry.estimates["quality"] for entry in agents.entries}
    assert {n: one.value for n, one in means.items()} == {
        25: pytest.approx(19.566666666666666, rel=1e-12),
        22: pytest.approx(11.946022727272727, rel=1e-12),
        23: pytest.approx(13.878623188405797, rel=1e-12),
    }
    assert all(one.conditional and one.bounds is not None for one in means.values())
    assert not any(entry.complete for entry in agents.entries)


def test_nothing_is_ranked_and_what_the_seed_asks_is_said(agents: Board) -> None:
    shown = contexts(BOARD, agents)["agents/index.html"]
    assert shown["results"] is None
    assert shown["unranked"] == "No rank is shown on a diagnostic board."
    said = " ".join(shown["incomplete"].notes)  # type: ignore[attr-defined]
    for words in ("Judge model: ", "Input budget", "Audit size", "evaluator error", "no certified ground truth"):
        assert words in said
    assert "Reference coverage is null" in said


def test_agents_are_compared_on_common_tasks_with_a_warning(agents: Board) -> None:
    pairs = contexts(BOARD, agents)["agents/index.html"]["pairs"]
    index = [column.id for column in pairs.columns].index("pairs")  # type: ignore[attr-defined]
    cells = [row.cells[index] for row in pairs.rows]  # type: ignore[attr-defined]
    assert sorted(cell.value for cell in cells) == [10, 11, 16]
    assert all(cell.note.startswith("small overlap: both have a value on ") for cell in cells)


def test_sources_and_families_have_their_pages(agents: Board) -> None:
    shown = contexts(AXIS, agents)
    sizes = Counter(path.split("/")[2] for path in shown)
    assert sizes == {"source": 5, "kind": 4}
    for axis, expected in (("source", [12, 12, 13, 13]), ("kind", [15, 15, 20])):
        values = shown[f"agents/by/{axis}/index.html"]["values"]
        assert sorted(int(size) for _, size in values) == expected  # type: ignore[attr-defined]


# --- small cases ------------------------------------------------------------------------------------------------------


def board(benchmark: Benchmark, *reports: Report) -> Board:
    judged = tuple(Judgement(report, "admitted", (), ()) for report in reports)
    return compute(Docket(benchmark, judged, ()))


def test_a_mean_over_what_happens_to_be_there_is_conditional_bounded_and_unranked() -> None:
    benchmark = make_benchmark(["a"] * 10, [ACCURACY], resamples=50)
    whole = make_report("whole", {"accuracy": [1.0] * 5 + [0.0] * 5})
    gappy = make_report("gappy", {"accuracy": [1.0] * 6 + [None] * 4}, statuses=["scored"] * 6 + ["missing"] * 4)
    made = board(benchmark, whole, gappy)
    found = made.entry("gappy").estimates["accuracy"]
    assert (found.value, found.n, found.total, found.conditional) == (1.0, 6, 10, True)
    assert found.bounds is not None
    assert (found.bounds.lower, found.bounds.upper) == (0.6, 1.0)
    assert "gappy" not in made.standings
    (pair,) = made.pairs
    assert (pair.pairs, pair.left_out, pair.overlap) == (6, 4, 0.6)


def test_errored_samples_stay_in_the_denominator_of_rates() -> None:
    benchmark = make_benchmark(["a"] * 10, [ACCURACY], resamples=50)
    report = make_report("seven", {"accuracy": [1.0] * 7 + [None] * 3}, statuses=["scored"] * 7 + ["invalid"] * 3)
    (entry,) = board(benchmark, report).entries
    assert (entry.ledger.valid.k, entry.ledger.valid.n) == (7, 10)
    assert entry.ledger.valid.interval is not None
    assert entry.ledger.valid.interval.lower < 0.7 < entry.ledger.valid.interval.upper
    assert entry.estimates["accuracy"].value == 1.0
    assert entry.estimates["accuracy"].conditional
    assert not entry.complete
