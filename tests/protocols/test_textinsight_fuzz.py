"""Every single field of valid TextInsight files, changed against a rule of the contract, is refused with its name."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, replace
from datetime import UTC, datetime
from typing import Any, TypeAlias

import pytest

import textinsight_made as made
from tallystick.errors import Refusal
from tallystick.model import Benchmark, PinnedFingerprint, Report, Varying
from tallystick.protocols import textinsight
from tallystick.reconcile import problems as differences
from tallystick.reconcile import reconcile
from tallystick.verify import verify

Path: TypeAlias = tuple[str | int, ...]

NOW = datetime(2027, 1, 1, tzinfo=UTC)
REMOVED = object()
FREE = {
    # what no rule of the contract speaks of
    "rationale",
    "interpretation",
    "error",
    "command",
    "benchmark",
    "experiment_completed",
    "job_id",
    "native_status",
    "termination_reason",
    "upstream_url",
    "upstream_commit",
}
COUNTS = {
    "checked",
    "known_compared",
    "disagreements",
    "claimed_positive_checked",
    "positive_contradictions",
    "checker_unknown",
    "supporting_documents",
    "blind_supported_documents",
    "blind_contradicted_documents",
}
DIMENSIONS = {"statistical_validity", "evidence_entailment", "analytical_depth", "calibration"}


def leaves(value: object, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every value that holds no other, with its path."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if inner is None:
        yield path, value
        return
    for key, item in inner:
        yield from leaves(item, (*path, key))


def changed(document: Mapping[str, Any], path: Path, value: object) -> dict[str, Any]:
    """Return a copy with one value changed or removed."""
    result: Any = copy.deepcopy(dict(document))
    parent = result
    for key in path[:-1]:
        parent = parent[key]
    if value is REMOVED:
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    return result  # type: ignore[no-any-return]


def breaking(path: Path, value: object) -> Iterator[object]:
    """Yield values that break a rule of the contract in the place of a valid one."""
    field = path[-1]
    if isinstance(value, bool):
        yield "yes"
        if field != "task_fulfilled" or path[1] == 0:  # findings of other tasks may earn nothing for another reason
            yield not value
    elif isinstance(value, int | float):
        yield from (str(value), True, -1, 10_000)
        if field not in COUNTS | DIMENSIONS:
            yield value + 0.5
    elif isinstance(value, str):
        yield 7
        if field not in ("finding_id", "condition_id"):  # only the submission tells what its parts are called
            yield f"{value}x"
    elif field in ("quality", "score", "quality_mean", "reference_coverage_mean"):
        yield from (50.0, "50")


def told(document: object, board: Benchmark) -> str:
    """Return every refusal of a file, as the line of stages finds them."""
    bundles, unread = textinsight.assemble((made.blob(document),), board)
    assert not unread
    lines: list[str] = []
    for bundle in bundles:
        try:
            report = textinsight.read(bundle, board)
        except Refusal as refusal:
            lines += map(str, refusal.problems)
            continue
        (verified,) = verify([report], board, NOW)
        found = (*verified, *textinsight.check(report, board, (report,)), *differences(reconcile(report, board, ())))
        lines += [str(problem) for problem in found if problem.effect == "refuse"]
    return "\n".join(lines)


def pinned(document: object) -> Benchmark:
    """Return the board of a made-up file's first report."""
    board = made.benchmark()
    bundles, _ = textinsight.assemble((made.blob(document),), board)
    report: Report = textinsight.read(bundles[0], board)
    fingerprint = PinnedFingerprint(*astuple(report.fingerprint))
    return replace(board, fingerprint=fingerprint)


def name_of(path: Path, wrong: object = None) -> str:
    """Return the field that a message must name: the key, or that of the list which holds the value.

    A record of an unknown task is told by `verify`, which speaks of samples.
    """
    if path[-1] == "task_id" and isinstance(wrong, str):
        return "samples-unknown"
    return next(str(key) for key in reversed(path) if isinstance(key, str))


def speaks(path: Path) -> bool:
    """Say whether the contract has a rule for this field."""
    return not FREE & {str(key) for key in path}


REPORT_LEAVES = [(path, value) for path, value in leaves(made.report()) if speaks(path)]


@pytest.mark.parametrize("section", sorted({str(path[0]) for path, _ in REPORT_LEAVES}))
def test_every_field_of_a_report(section: str) -> None:
    document = made.report()
    board = pinned(document)
    assert told(document, board) == ""
    tried = 0
    for path, value in REPORT_LEAVES:
        if path[0] != section:
            continue
        for wrong in breaking(path, value):
            found = told(changed(document, path, wrong), board)
            assert name_of(path, wrong) in found, f"{path} = {wrong!r} was told as {found!r}"
            tried += 1
    assert tried > 0


OPTIONAL = {"run", "duplicate_of", "reference_match", "limit", "task_id", "effective_tasks_sha256", "difficulty"}
"""Fields that older versions of the seed leave out; where they lead to the board's own they are tested below."""


def test_every_field_of_a_report_that_is_left_out() -> None:
    document = made.report()
    board = pinned(document)
    for path, _ in REPORT_LEAVES:
        if isinstance(path[-1], str) and (path[-1] not in OPTIONAL or path == ("difficulty",)):
            found = told(changed(document, path, REMOVED), board)
            assert name_of(path) in found, f"without {path}: {found!r}"


def runs_document(choose: Callable[[Path], bool]) -> Iterator[tuple[Path, Any]]:
    return ((path, value) for path, value in leaves(made.agent_runs()) if speaks(path) and choose(path))


@pytest.mark.parametrize(
    "section", ["tasks_sha256", "summary", "total", "configurations", "evaluator_file_sets", "runs"]
)
def test_every_field_of_a_summary_of_runs(section: str) -> None:
    document = made.agent_runs()
    board = pinned_runs(document)
    assert told(document, board) == ""
    for path, value in runs_document(lambda path: path[0] == section):
        for wrong in breaking(path, value):
            found = told(changed(document, path, wrong), board)
            assert expected_name(path, wrong) in found, f"{path} = {wrong!r} was told as {found!r}"


def pinned_runs(document: object) -> Benchmark:
    board = pinned(document)
    return replace(board, fingerprint=replace(board.fingerprint, configuration=Varying("each run had its own")))


def expected_name(path: Path, wrong: object) -> str:
    """Return what is named: inside a configuration it is the digest that no longer holds."""
    if path[0] in ("configurations", "evaluator_file_sets"):
        return "configuration_sha256" if path[0] == "configurations" else "evaluator_files_sha256"
    return name_of(path, wrong)


def test_random_changes_of_a_real_report(shared: Any) -> None:  # noqa: ANN401 - the fixture's path
    content = (shared / "oracle_textinsight/bench/tasks.json").read_bytes()
    document = json.loads((shared / "oracle_textinsight/methods/borealis/report.json").read_bytes())
    board = made.benchmark(content=content)
    bundles, _ = textinsight.assemble((made.blob(document),), board)
    fingerprint = textinsight.read(bundles[0], board).fingerprint
    board = replace(board, fingerprint=PinnedFingerprint(*astuple(fingerprint)))
    every = [(path, value) for path, value in leaves(document) if speaks(path)]
    for path, value in random.Random(20).sample(every, 60):
        for wrong in breaking(path, value):
            found = told(changed(document, path, wrong), board)
            assert name_of(path, wrong) in found, f"{path} = {wrong!r} was told as {found!r}"
