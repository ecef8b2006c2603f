"""A build that remembers makes the same bytes as one that does not, and computes only what is new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

import pytest

from sized_board import write_board, write_report
from tallystick import pipeline
from tallystick.cache import Cache
from tallystick.cli import main
from tallystick.workshop import HERE, Workshop, local

NOW = datetime(2027, 1, 1, tzinfo=UTC)
METHODS, SAMPLES = 5, 30


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_board(tmp_path / "board", METHODS, SAMPLES)
    return tmp_path / "board"


def built(root: Path, workshop: Workshop, out: str, now: datetime = NOW) -> pipeline.Build:
    return pipeline.build(root, root.parent / out, now, lambda text: None, workshop=workshop)


def site(root: Path, out: str) -> dict[str, bytes]:
    """Return every file but the marker, which tells of earlier builds too."""
    folder = root.parent / out
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if name != ".tallystick"}


def plain(root: Path) -> dict[str, bytes]:
    """Return the site as a build makes it that remembers nothing."""
    built(root, HERE, "plain")
    return site(root, "plain")


class Watched(Workshop):
    """Counts the pieces that are computed, by stage."""

    done: ClassVar[Counter[str]] = Counter()

    def each(self, stage: str, work: Callable[..., Any], pieces: Sequence[Any], names: Callable[..., Any]) -> list[Any]:
        def counting(missing: Sequence[Any]) -> Sequence[Any]:
            Watched.done[stage] += len(missing)
            return work(missing)  # type: ignore[no-any-return]

        return Workshop.each(self, stage, counting, pieces, names)


@pytest.fixture
def done() -> Iterator[Counter[str]]:
    Watched.done = Counter()
    yield Watched.done


def test_memory_makes_the_same_bytes(root: Path, tmp_path: Path) -> None:
    expected = plain(root)
    built(root, Workshop(Cache(tmp_path / "cache")), "first")
    assert site(root, "first") == expected
    (root / "content/site.yaml").write_text("title: Renamed\n", "utf-8")
    built(root, Workshop(Cache(tmp_path / "cache")), "first")
    assert site(root, "first") == plain(root) != expected


def test_processes_make_the_same_bytes(root: Path) -> None:
    with local(2, None) as workshop:
        built(root, workshop, "processes")
    assert site(root, "processes") == plain(root)


def test_further_metrics_are_ranked_on_demand_and_remembered(root: Path, tmp_path: Path, done: Counter[str]) -> None:
    settings = root / "results" / "made" / "benchmark.yaml"
    settings.write_text(settings.read_text("utf-8") + "ranked: [quality]\n", "utf-8")
    expected = plain(root)
    assert all(b">Rank<" in expected[f"made/metrics/{metric}.html"] for metric in ("accuracy", "quality"))
    built(root, Watched(Cache(tmp_path / "cache")), "first")
    assert site(root, "first") == expected and done["rank"] == 2
    built(root, Watched(Cache(tmp_path / "cache")), "second")
    assert site(root, "second") == expected and done["rank"] == 2


def test_an_unchanged_site_is_left_alone(root: Path, tmp_path: Path, done: Counter[str]) -> None:
    first = built(root, Watched(Cache(tmp_path / "cache")), "site")
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "site").rglob("*")}
    done.clear()
    second = built(root, Watched(Cache(tmp_path / "cache")), "site")
    assert not done
    assert (second.receipt, second.changed) == (first.receipt, ())
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "site").rglob("*")} == times


@pytest.mark.parametrize(
    "touch",
    [
        lambda folder: (folder / "index.html").write_text("other"),
        lambda folder: (folder / "index.html").unlink(),
        lambda folder: (folder / "extra.html").write_text("more"),
        lambda folder: (folder / "empty").mkdir(),
    ],
)
def test_a_site_that_was_touched_is_made_again(root: Path, tmp_path: Path, touch: Callable[[Path], object]) -> None:
    place = Workshop(Cache(tmp_path / "cache"))
    built(root, place, "site")
    expected = site(root, "site")
    touch(tmp_path / "site")
    built(root, place, "site")
    assert site(root, "site") == expected


def test_one_more_report_costs_that_report_and_its_pairs(root: Path, tmp_path: Path, done: Counter[str]) -> None:
    built(root, Watched(Cache(tmp_path / "cache")), "site")
    once = {"recognise": METHODS, "read": METHODS, "reconcile": METHODS, "estimate": METHODS}
    assert {stage: done[stage] for stage in once} == once
    pairs = done["compare"]
    done.clear()
    write_report(root, METHODS, SAMPLES)
    built(root, Watched(Cache(tmp_path / "cache")), "site")
    assert {stage: done[stage] for stage in once} == dict.fromkeys(once, 1)
    assert 1 <= done["compare"] <= METHODS < pairs + METHODS
    assert done["rank"] == 1, "ranks hold jointly, so they are found anew"
    assert site(root, "site") == plain(root)


def test_a_changed_report_is_never_taken_for_the_old_one(root: Path, tmp_path: Path, done: Counter[str]) -> None:
    place = Watched(Cache(tmp_path / "cache"))
    built(root, place, "site")
    before = site(root, "site")
    done.clear()
    write_report(root, 2, SAMPLES, draw=1)
    built(root, place, "site")
    assert done["read"] == done["estimate"] == 1
    assert site(root, "site") == plain(root) != before


def test_changed_settings_make_everything_anew(root: Path, tmp_path: Path, done: Counter[str]) -> None:
    place = Watched(Cache(tmp_path / "cache"))
    built(root, place, "site")
    done.clear()
    settings = root / "results/made/benchmark.yaml"
    settings.write_text(settings.read_text("utf-8") + "bootstrap: {resamples: 500}\n", "utf-8")
    built(root, place, "site")
    assert done["estimate"] == METHODS
    assert site(root, "site") == plain(root)


def test_a_damaged_cache_costs_time_only(root: Path, tmp_path: Path) -> None:
    built(root, Workshop(Cache(tmp_path / "cache")), "site")
    for number, path in enumerate(sorted(path for path in (tmp_path / "cache").rglob("*") if path.is_file())):
        content = path.read_bytes()
        path.write_bytes((content[:-1], content[: len(content) // 2], b"", content.replace(b"0.", b"1."))[number % 4])
    (root / "content/site.yaml").write_text("title: Renamed\n", "utf-8")
    built(root, Workshop(Cache(tmp_path / "cache")), "site")
    assert site(root, "site") == plain(root)


def test_two_builds_at_once_share_a_cache(root: Path, tmp_path: Path) -> None:
    def build(out: str) -> None:
        built(root, Workshop(Cache(tmp_path / "cache")), out)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(build, ("one", "two")))
    assert site(root, "one") == site(root, "two") == plain(root)


def test_a_date_to_come_is_judged_again_when_it_has_come(root: Path, tmp_path: Path) -> None:
    place = Workshop(Cache(tmp_path / "cache"))
    early, late = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)
    write_report(root, 8, SAMPLES)  # finished in September
    outcomes = [
        {one.method: one.outcome for one in built(root, place, "site", now).receipt.verdicts}["m0008"]
        for now in (early, late, late, early)
    ]
    assert outcomes == ["refused", "admitted", "admitted", "refused"]


def test_the_command_remembers_unless_told_not_to(root: Path, tmp_path: Path) -> None:
    cache, out = tmp_path / "cache", tmp_path / "site"
    arguments = ["build", "--root", str(root), "--out", str(out), "--cache", str(cache)]
    assert main([*arguments, "--no-cache"]) == 0
    assert not cache.exists()
    assert main(arguments) == 0
    assert any(cache.rglob("*"))
