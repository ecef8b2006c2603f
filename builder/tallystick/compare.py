"""Compare reports pair by pair on the samples where both have a value; exact tests where outcomes are 0 or 1."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np

from tallystick import bootstrap
from tallystick.board import Comparison, Interval, McNemar
from tallystick.bootstrap import Layout, Layouts, Measure, Spread
from tallystick.errors import Problem, Refusal
from tallystick.metrics import Aligned, align, kinds
from tallystick.model import Benchmark, DeclaredComparison, FloatArray, IntArray, Metric, Report
from tallystick.significance import holm, mcnemar
from tallystick.workshop import HERE, Workshop

NAMES_SHOWN = 3
UNDECLARED = "pairs that the board does not declare"
ROWS_PER_PAGE = 3
"""How many times as many methods may be compared by their primary metric alone as by all of them."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """One metric of a baseline and a candidate: on `rows` both are defined, on `left_out` samples only one is."""

    metric: Metric
    baseline: Report
    candidate: Report
    values: tuple[FloatArray, FloatArray]
    rows: IntArray
    left_out: int
    job: tuple[Measure, Layout]


def compare(reports: Sequence[Report], benchmark: Benchmark, workshop: Workshop = HERE) -> tuple[Comparison, ...]:
    """Return the comparisons that the board declares, as far as their methods are here, for every metric.

    All tests of one family, whatever their metric, are adjusted together (Holm).
    """
    declared = _declared(reports, benchmark)
    pairs = [(baseline, candidate) for baseline, candidate, _ in declared]
    by_pair = workshop.each(
        "compare", partial(_by_pair, benchmark=benchmark), pairs, lambda pair: (pair[0].origin, pair[1].origin)
    )
    found = [comparison for of_pair in by_pair for comparison in of_pair]
    families = [family for _, _, family in declared for _ in benchmark.metrics]
    return _adjusted(found, families)


def compare_others(
    reports: Sequence[Report], benchmark: Benchmark, workshop: Workshop = HERE
) -> tuple[Comparison, ...]:
    """Return the comparisons of every two reports that `compare` leaves out, the first by method id as baseline.

    Where there are more methods than every two can have a page of their own, only the primary metric is compared, and
    beyond three times as many nothing is. All tests are one family (Holm).
    """
    at_most = benchmark.showing.pair_pages
    if len(reports) > ROWS_PER_PAGE * at_most:
        return ()
    declared = {frozenset((one.method.id, other.method.id)) for one, other, _ in _declared(reports, benchmark)}
    ordered = sorted(reports, key=lambda report: report.method.id)
    pairs = [pair for pair in combinations(ordered, 2) if frozenset(own.method.id for own in pair) not in declared]
    metrics = benchmark.metrics if len(reports) <= at_most else (benchmark.metric(benchmark.primary),)
    by_pair = workshop.each(
        f"compare {' '.join(metric.id for metric in metrics)}",
        partial(_by_pair, benchmark=benchmark, metrics=metrics),
        pairs,
        lambda pair: (pair[0].origin, pair[1].origin),
    )
    found = [comparison for of_pair in by_pair for comparison in of_pair]
    return _adjusted(found, [UNDECLARED] * len(found))


def _declared(reports: Sequence[Report], benchmark: Benchmark) -> list[tuple[Report, Report, str]]:
    """Return the declared comparisons whose methods are here, as (baseline, candidate, family)."""
    by_method = {report.method.id: report for report in reports}
    return [
        (by_method[comparison.baseline], by_method[candidate], comparison.family)
        for comparison in benchmark.comparisons
        for candidate in _candidates(comparison, by_method)
        if comparison.baseline in by_method and candidate in by_method
    ]


def _candidates(comparison: DeclaredComparison, methods: Iterable[str]) -> Sequence[str]:
    """Return the candidates that a comparison names, or every other method where it asks for all ("*")."""
    if not comparison.all:
        return comparison.candidates
    return sorted(method for method in methods if method != comparison.baseline)


def _by_pair(
    pairs: Sequence[tuple[Report, Report]], benchmark: Benchmark, metrics: Sequence[Metric] | None = None
) -> list[tuple[Comparison, ...]]:
    """Return the comparisons of each pair, all metrics together."""
    found, width = compare_pairs(pairs, benchmark, metrics), len(benchmark.metrics if metrics is None else metrics)
    return [found[start : start + width] for start in range(0, len(found), width)]


def compare_pairs(
    pairs: Sequence[tuple[Report, Report]], benchmark: Benchmark, metrics: Sequence[Metric] | None = None
) -> tuple[Comparison, ...]:
    """Return candidate − baseline for pairs (baseline, candidate), for every metric or those given, in this order.

    Raises Refusal where two reports do not speak of the same samples.
    """
    reports = {id(report): report for pair in pairs for report in pair}
    if problems := [problem for report in reports.values() for problem in _mismatches(report, benchmark)]:
        raise Refusal(problems)
    aligned = {key: align(report, benchmark) for key, report in reports.items()}
    layouts = Layouts(benchmark.samples.strata)
    cells = [
        _pair(metric, (baseline, candidate), (aligned[id(baseline)], aligned[id(candidate)]), layouts)
        for baseline, candidate in pairs
        for metric in (benchmark.metrics if metrics is None else metrics)
    ]
    spreads = bootstrap.spreads([cell.job for cell in cells], benchmark.bootstrap)
    return tuple(_comparison(cell, spread, benchmark) for cell, spread in zip(cells, spreads, strict=True))


def _mismatches(report: Report, benchmark: Benchmark) -> Iterator[Problem]:
    """Yield what verification would have refused already: another set of samples."""
    if sorted(report.ids) != list(benchmark.samples.ids):
        odd = sorted(set(report.ids) ^ set(benchmark.samples.ids))
        names = ", ".join(odd[:NAMES_SHOWN]) or "samples more than once"
        yield Problem(
            "samples-differ",
            report.path,
            f"the {len(benchmark.samples.ids)} samples of {benchmark.samples.path}",
            f"{len(report.ids)} samples; {len(odd)} only in one of the two: {names}",
            "Reports are compared sample by sample: evaluate both on the pinned samples.",
        )


def _pair(metric: Metric, reports: tuple[Report, Report], aligned: tuple[Aligned, Aligned], layouts: Layouts) -> _Pair:
    baseline, candidate = (own.columns[metric.id] for own in aligned)
    rows = np.flatnonzero(baseline.defined & candidate.defined)
    left_out = int((baseline.defined ^ candidate.defined).sum())
    values = (baseline.statistics, candidate.statistics)
    measure = bootstrap.paired(kinds()[metric.kind], candidate.statistics, baseline.statistics)
    return _Pair(metric, *reports, values, rows, left_out, (measure, layouts.stratified(rows)))


def _comparison(pair: _Pair, spread: Spread, benchmark: Benchmark) -> Comparison:
    better = spread.above if pair.metric.sign > 0 else spread.below
    test, refusal = _test(pair, benchmark)
    drawn = len(pair.rows) > 1 and _known(spread.lower) is not None  # one pair says nothing of how it varies
    return Comparison(
        metric=pair.metric.id,
        baseline=pair.baseline.method.id,
        candidate=pair.candidate.method.id,
        baseline_digest=pair.baseline.scores_digest,
        difference=_known(spread.point),
        interval=Interval(spread.lower, spread.upper) if drawn else None,
        probability=_known(better) if drawn else None,
        pairs=len(pair.rows),
        left_out=pair.left_out,
        overlap=len(pair.rows) / len(benchmark.samples.ids) if benchmark.samples.ids else 0.0,
        test=test,
        note="; ".join(note for note in (_note(pair, spread), refusal) if note),
    )


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _note(pair: _Pair, spread: Spread) -> str:
    """Say why a difference or its interval is missing."""
    if not len(pair.rows):
        return "no sample has a value in both"
    if not math.isfinite(spread.point):
        return "undefined on these samples"
    if len(pair.rows) < 2:
        return "no interval: one pair says nothing of how the difference varies"
    return f"no interval: undefined in {spread.undefined:.0f} resamples" if spread.undefined else ""


def _test(pair: _Pair, benchmark: Benchmark) -> tuple[McNemar | None, str]:
    """Return McNemar's exact test of a binary metric, or why it is refused; 0 succeeds where lower is better."""
    if not pair.metric.binary or not len(pair.rows):
        return None, ""
    baseline, candidate = (values[pair.rows, 0] for values in pair.values)
    other = ~(np.isin(baseline, (0, 1)) & np.isin(candidate, (0, 1)))
    if other.any():
        example = benchmark.samples.ids[pair.rows[np.flatnonzero(other)[0]]]
        return None, f"no McNemar test: {int(other.sum())} pairs with values other than 0 and 1, such as {example}"
    success = 1 if pair.metric.sign > 0 else 0
    first, second = baseline == success, candidate == success
    baseline_only, candidate_only = int((first & ~second).sum()), int((second & ~first).sum())
    both, neither = int((first & second).sum()), int((~first & ~second).sum())
    p = mcnemar(baseline_only, candidate_only)
    return McNemar(baseline_only, candidate_only, both, neither, p), ""


def _adjusted(comparisons: Sequence[Comparison], families: Sequence[str]) -> tuple[Comparison, ...]:
    """Name each test's family and adjust its p-value within it."""
    members: dict[str, list[int]] = defaultdict(list)
    for place, (comparison, family) in enumerate(zip(comparisons, families, strict=True)):
        if comparison.test is not None:
            members[family].append(place)
    result = list(comparisons)
    for family, places in members.items():
        tests = [test for place in places if (test := comparisons[place].test) is not None]
        for place, test, p in zip(places, tests, holm([test.p for test in tests]), strict=True):
            named = replace(test, holm=p, family=family, family_size=len(places))
            result[place] = replace(result[place], test=named)
    return tuple(result)
