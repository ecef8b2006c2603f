"""Time the statistics of a board against the contract's procedure in plain Python and `scipy.stats.bootstrap`.

One run, one machine, one table: eleven FAR reports with every interval, cluster interval, declared comparison and exact
test. Plain Python is the oracle of the tests (tests/plain_python.py), and every number of ours must equal its number to
the last bit. scipy does less: it neither stratifies nor draws clusters, knows no micro F1, and rounds as it goes.

Seconds are CPU seconds, with BLAS on one thread, so that neither busy neighbours nor cores blur the ratios.

Usage: python benchmarks/intervals.py [--quick] [--shared FOLDER]. `--quick` lets plain Python do two reports and two
comparisons and scales the time up, saying so; otherwise it does everything (minutes).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy is first imported

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import plain_python  # noqa: E402  # the tests' oracle, found by the line above
from cases import make_benchmark, make_report  # noqa: E402
from tallystick import draws  # noqa: E402
from tallystick.compare import compare  # noqa: E402
from tallystick.estimate import estimate  # noqa: E402
from tallystick.model import Benchmark, DeclaredComparison, Metric, Report  # noqa: E402

F1 = "typed_conflict_f1"
BINARY = {
    "answer_exact_match",
    "conflict_detected",
    "typed_conflict_correct",
    "revision_action_correct",
    "revision_accuracy",
}
NO_METRIC = {"sample_id", "category", "split", "dependency_group", "method", "predicted_conflict_count"}
REPEATS = 7

Number = float | None
Answers = dict[tuple[str, ...], tuple[Number, ...]]


@dataclass(frozen=True)
class Board:
    """Reports with their benchmark, in the program's values."""

    benchmark: Benchmark
    reports: tuple[Report, ...]


def load(shared: Path, copies: int) -> Board:
    """Read the eleven reports' rows; each sample, and each dependency group, stands for `copies` of itself."""
    rows = {}
    for path in sorted((shared / "far_solo_v1" / "evaluations").glob("*/scores.jsonl")):
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
        rows[lines[0]["method"]] = sorted(lines, key=lambda row: row["sample_id"])
    first = next(iter(rows.values()))
    means = sorted(first[0].keys() - NO_METRIC)
    metrics = [Metric(name, name, "mean", {"value": name}, binary=name in BINARY) for name in means]
    metrics.append(Metric(F1, F1, "micro_f1", {"true_positives": "", "predicted": "", "gold": ""}))
    candidates = [method for method in rows if method not in ("vanilla_rag", "far")]
    ablations = tuple(method for method in candidates if method.startswith("far_"))
    systems = (*(method for method in candidates if method not in ablations), "far")
    benchmark = make_benchmark(
        [row["category"] for row in first for _ in range(copies)],
        metrics,
        clusters=[f"{row['dependency_group']}/{copy}" for row in first for copy in range(copies)],
        comparisons=[
            DeclaredComparison("vanilla_rag", systems, "systems"),
            DeclaredComparison("far", ablations, "ablations"),
        ],
        resamples=2000,
    )
    reports = [_report(method, own, means, copies) for method, own in rows.items()]
    return Board(benchmark, tuple(reports))


def _report(method: str, rows: list[dict[str, Any]], means: list[str], copies: int) -> Report:
    repeated = [row for row in rows for _ in range(copies)]
    columns: dict[str, list[Any]] = {name: [row[name] for row in repeated] for name in means}
    correct = [row["typed_conflict_correct"] for row in repeated]
    counts = [
        None if hit is None else (hit, row["predicted_conflict_count"], 1)
        for hit, row in zip(correct, repeated, strict=True)
    ]
    report = make_report(method, {"f1": counts, **columns})
    made = {F1 if name == "f1" else name: column for name, column in report.columns.items()}
    return replace(report, columns=made)


# --- three ways to the same numbers -----------------------------------------------------------------------------------


def ours(board: Board) -> Answers:
    """Compute the board with the program, from nothing remembered."""
    draws._all_counts.cache_clear()
    answers: Answers = {}
    for report, found in zip(board.reports, estimate(board.reports, board.benchmark), strict=True):
        for metric, own in found.estimates.items():
            for scheme, told in (("within", own), ("whole", own.cluster)):
                assert told is not None
                ends = told.interval and (told.interval.lower, told.interval.upper)
                answers[report.method.id, metric, scheme] = (told.value, *(ends or (None, None)))
    for pair in compare(board.reports, board.benchmark):
        ends = pair.interval and (pair.interval.lower, pair.interval.upper)
        test = (pair.test.p,) if pair.test else ()
        key = (pair.candidate, pair.metric, "paired", pair.baseline)
        answers[key] = (pair.difference, *(ends or (None, None)), pair.probability, *test)
    return answers


def plain_report(board: Board, report: Report) -> Answers:
    """Compute one report's intervals and cluster intervals in plain Python."""
    samples, resamples = board.benchmark.samples, board.benchmark.bootstrap.resamples
    answers: Answers = {}
    for metric in board.benchmark.metrics:
        values, rows = _values(report, metric), _defined(report, metric)
        function = plain_python.scored(plain_python.micro_f1 if metric.id == F1 else plain_python.mean(), values)
        for scheme, names in (("within", samples.strata), ("whole", samples.clusters or ())):
            groups = plain_python.grouped(names, rows)
            draws = plain_python.replicates(function, groups, getattr(plain_python, scheme), resamples)
            answers[report.method.id, metric.id, scheme] = (function(rows), *plain_python.ends(draws))
    return answers


def plain_pair(board: Board, baseline: Report, candidate: Report) -> Answers:
    """Compute one declared comparison in plain Python."""
    samples, resamples = board.benchmark.samples, board.benchmark.bootstrap.resamples
    answers: Answers = {}
    for metric in board.benchmark.metrics:
        theirs, mine = _values(baseline, metric), _values(candidate, metric)
        rows = sorted(set(_defined(baseline, metric)) & set(_defined(candidate, metric)))
        function = (
            plain_python.difference(plain_python.micro_f1, mine, theirs)
            if metric.id == F1
            else plain_python.mean_difference(mine, theirs)
        )
        groups = plain_python.grouped(samples.strata, rows)
        draws = plain_python.replicates(function, groups, plain_python.within, resamples)
        better = sum(metric.sign * draw > 0 for draw in draws) / resamples
        test = ()
        if metric.binary:
            test = (plain_python.mcnemar([theirs[row][0] for row in rows], [mine[row][0] for row in rows]),)
        key = (candidate.method.id, metric.id, "paired", baseline.method.id)
        answers[key] = (function(rows), *plain_python.ends(draws), better, *test)
    return answers


def _values(report: Report, metric: Metric) -> list[plain_python.Value]:
    return [tuple(row) for row in report.columns[metric.id].statistics.tolist()]


def _defined(report: Report, metric: Metric) -> list[int]:
    return [int(row) for row in np.flatnonzero(report.columns[metric.id].defined)]


def scipy_means(board: Board, together: bool) -> None:
    """Let scipy do the means of all reports and the mean differences of all declared comparisons, unstratified.

    An interval a call, as its manual shows; or `together`, with all metrics of a report drawn in one call.
    """
    from scipy.stats import bootstrap as scipy_bootstrap

    by_method = {report.method.id: report for report in board.reports}
    pairs = [(c.baseline, candidate) for c in board.benchmark.comparisons for candidate in c.candidates]
    means = [metric.id for metric in board.benchmark.metrics if metric.id != F1]
    tables = [np.hstack([report.columns[metric].statistics for metric in means]).T for report in board.reports]
    own = dict(zip(by_method, tables, strict=True))
    for table in [*tables, *(own[candidate] - own[baseline] for baseline, candidate in pairs)]:
        for values in [table] if together else table:
            scipy_bootstrap((values,), np.mean, axis=-1, n_resamples=2000, method="percentile", rng=1)


# --- timing -----------------------------------------------------------------------------------------------------------


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return CPU seconds and result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def plain(board: Board, some: slice) -> tuple[float, Answers, str]:
    """Time plain Python on some reports and comparisons, scaled to all of them."""
    by_method = {report.method.id: report for report in board.reports}
    pairs = [(c.baseline, candidate) for c in board.benchmark.comparisons for candidate in c.candidates]
    answers: Answers = {}
    total = 0.0
    for everything, work in (
        (board.reports, lambda report: plain_report(board, report)),
        (pairs, lambda pair: plain_pair(board, by_method[pair[0]], by_method[pair[1]])),
    ):
        chosen = everything[some]
        seconds, found = timed(lambda chosen=chosen, work=work: [work(item) for item in chosen])
        total += seconds * len(everything) / len(chosen)
        for part in found:
            answers |= part
    scaled = "" if len(pairs[some]) == len(pairs) else f"scaled up from {len(pairs[some])} reports and comparisons"
    return total, answers, scaled


def equal(answers: Mapping[tuple[str, ...], tuple[Number, ...]], found: Answers) -> int:
    """Return how many numbers plain Python has; stop at the first that differs in any bit."""
    for key, expected in answers.items():
        if found[key] != expected:
            raise SystemExit(f"{' '.join(key)}: plain Python {expected}, ours {found[key]}")
    return sum(map(len, answers.values()))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="plain Python does two reports and two comparisons")
    parser.add_argument(
        "--shared", type=Path, default=Path(os.environ.get("TALLYSTICK_SHARED", ROOT.parent / "shared"))
    )
    arguments = parser.parse_args()
    print(f"{'n':>4} {'who':<14} {'seconds':>9} {'ours is':>9}  remark")
    for copies in (1, 5):
        board = load(arguments.shared / "data", copies)
        n = len(board.benchmark.samples.ids)
        runs = [timed(lambda board=board: ours(board)) for _ in range(REPEATS)]
        seconds, found = statistics.median(run[0] for run in runs), runs[0][1]
        print(
            f"{n:>4} {'ours':<14} {seconds:>9.4f} {'':>9}  {sum(map(len, found.values()))} numbers, median of {REPEATS}"
        )
        for together, calls in ((False, "an interval a call"), (True, "a report a call")):
            work = partial(scipy_means, board, together)
            scipy_seconds = statistics.median(timed(work)[0] for _ in range(3))
            remark = f"means only, unstratified, {calls}"
            print(f"{n:>4} {'scipy':<14} {scipy_seconds:>9.4f} {scipy_seconds / seconds:>8.0f}×  {remark}")
        total, answers, scaled = plain(board, slice(0, 2) if arguments.quick else slice(None))
        remark = f"{equal(answers, found)} numbers equal to the last bit" + (f"; {scaled}" if scaled else "")
        print(f"{n:>4} {'plain Python':<14} {total:>9.2f} {total / seconds:>8.0f}×  {remark}")


if __name__ == "__main__":
    main()
