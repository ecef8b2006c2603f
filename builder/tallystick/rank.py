"""Rank as inference: what a board's samples can order, and nothing more.

Only methods with a full value of the metric on the same samples take part; everything rests on the same resamples, so
that pairing is kept throughout. A diagnostic board ranks nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tallystick import bootstrap, metrics, numerals
from tallystick.board import Entry, Leader, Ranking, RecordStep, Standing
from tallystick.caution import leader, probability_best, resolution
from tallystick.letters import Letters, letters
from tallystick.model import Benchmark, BoolArray, FloatArray, IntArray, Metric
from tallystick.ordering import Pairs, RankSets
from tallystick.records import Dated, records
from tallystick.significance import mcnemar

ROUNDING = 2.0**-40  # replicates that differ by less are as extreme as each other


@dataclass(frozen=True, slots=True, eq=False)
class _Field:
    """The entries that take part, with what they are ranked by: larger is better in all three arrays.

    `values` (p, n) are single samples' for a mean of one statistic, and empty for other metrics.
    """

    entries: tuple[Entry, ...]
    rows: IntArray
    values: FloatArray
    estimates: FloatArray
    replicates: FloatArray

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(entry.method for entry in self.entries)


def rank(entries: Iterable[Entry], benchmark: Benchmark, metric: str | None = None) -> Mapping[str, Standing]:
    """Return the standing of every method that can be ranked by a metric, the primary one if none is named."""
    found = ranking(entries, benchmark, metric)
    return {} if found is None else found.standings


def rank_each(boards: Sequence[tuple[str, Sequence[Entry]]], benchmark: Benchmark) -> list[Ranking | None]:
    """Return all that can be said of the order of each set of entries by the metric that comes with it."""
    return [ranking(entries, benchmark, metric) for metric, entries in boards]


def ranking(entries: Iterable[Entry], benchmark: Benchmark, metric: str | None = None) -> Ranking | None:
    """Return all that can be said of the order by a metric; the order of entries changes nothing.

    None on a diagnostic board, with fewer than two methods, and where every stratum holds one sample: each resample
    would then be the samples themselves, and every difference would look certain.
    """
    if benchmark.diagnostic is not None:
        return None
    chosen = benchmark.metric(metric or benchmark.primary)
    candidates, unranked = _candidates(sorted(entries, key=lambda entry: entry.method), benchmark, chosen)
    if len(candidates) < 2 or not _drawable(candidates[0].defined, benchmark):
        return None
    field, unsteady = _steady(_field(candidates, benchmark, chosen))
    if len(field.entries) < 2:
        return None
    confidence = benchmark.bootstrap.confidence
    pairs = Pairs(field.estimates, field.replicates)
    sets = pairs.joint(confidence)
    order = _order(field)
    shown = letters(sets.better, order)
    tested = _McNemar(field) if chosen.binary and len(field.values) else _Centred(field)
    return Ranking(
        metric=chosen.id,
        samples=len(field.rows),
        standings=_standings(field, sets, pairs.marginal(confidence), shown),
        unranked=unranked | dict.fromkeys(unsteady, "the metric is undefined in some resamples"),
        sentence=_sentence(field, benchmark),
        exact_letters=shown.exact,
        leader=_oriented(leader(field.methods, field.estimates, field.replicates), chosen.sign),
        resolution=resolution(order, sets.spread, len(field.rows), confidence, _gap(chosen)),
        test=tested.name,
        records=tuple(
            replace(step, value=chosen.sign * step.value + 0.0) for step in _records(field, tested, confidence)
        ),
        undated=tuple(entry.method for entry in field.entries if entry.report.run.finished is None),
    )


# --- who takes part ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """An entry with a full value, its statistics (n, k) and where they are defined, in the benchmark's own order."""

    entry: Entry
    statistics: FloatArray
    defined: BoolArray


def _candidates(
    entries: Sequence[Entry], benchmark: Benchmark, metric: Metric
) -> tuple[list[_Candidate], dict[str, str]]:
    """Return the entries that can be ranked, all on the same samples, and for each other method the reason."""
    reasons = {entry.method: reason for entry in entries if (reason := _reason(entry, metric))}
    able = [_aligned(entry, benchmark, metric) for entry in entries if entry.method not in reasons]
    common = _common([candidate.defined for candidate in able])
    for candidate in able:
        if not np.array_equal(candidate.defined, common):
            reasons[candidate.entry.method] = "the metric is not defined on the same samples as for the others"
    return [candidate for candidate in able if candidate.entry.method not in reasons], reasons


def _reason(entry: Entry, metric: Metric) -> str:
    """Say why a report cannot be ranked whatever the others hold; nothing if it can."""
    estimate = entry.estimates.get(metric.id)
    if entry.outcome != "admitted":
        return "the report is not admitted as evidence"
    if estimate is None or estimate.value is None:
        return "the metric has no value"
    if estimate.conditional:
        return f"only {numerals.of(estimate.n, estimate.total)} samples have a value, so there is no full one"
    return ""


def _aligned(entry: Entry, benchmark: Benchmark, metric: Metric) -> _Candidate:
    column = metrics.align(entry.report, benchmark).columns[metric.id]
    return _Candidate(entry, column.statistics, column.defined)


def _common(defined: Sequence[BoolArray]) -> BoolArray:
    """Return on which samples methods are compared: all, if any method has them all; else those that all agree on."""
    everything = next((mask for mask in defined if mask.all()), None)
    if everything is not None:
        return everything
    agreed = len(defined) > 0 and all(np.array_equal(mask, defined[0]) for mask in defined)
    return defined[0] if agreed else np.zeros(0, np.bool_)


def _drawable(defined: BoolArray, benchmark: Benchmark) -> bool:
    strata = Counter(stratum for stratum, here in zip(benchmark.samples.strata, defined.tolist(), strict=True) if here)
    return max(strata.values()) > 1


def _field(candidates: Sequence[_Candidate], benchmark: Benchmark, metric: Metric) -> _Field:
    """Draw the replicates of candidates that are defined on the same samples."""
    rows = np.flatnonzero(candidates[0].defined)
    kind = metrics.kinds()[metric.kind]
    measures = [bootstrap.single(kind, candidate.statistics) for candidate in candidates]
    layout = bootstrap.stratified(benchmark.samples.strata, rows)
    return _Field(
        entries=tuple(candidate.entry for candidate in candidates),
        rows=rows,
        values=np.array([candidate.statistics[rows, 0] for candidate in candidates if kind.linear]) * metric.sign,
        estimates=np.array([bootstrap.point(measure, rows) for measure in measures]) * metric.sign,
        replicates=bootstrap.replicates(measures, layout, benchmark.bootstrap) * metric.sign,
    )


def _steady(field: _Field) -> tuple[_Field, tuple[str, ...]]:
    """Keep the methods whose metric is defined in every resample; name the others."""
    good = np.asarray(np.isfinite(field.replicates).all(axis=0))
    kept = np.flatnonzero(good).tolist()
    steady = replace(
        field,
        entries=tuple(field.entries[place] for place in kept),
        values=field.values[kept] if len(field.values) else field.values,
        estimates=field.estimates[kept],
        replicates=field.replicates[:, kept],
    )
    return steady, tuple(field.methods[place] for place in np.flatnonzero(~good).tolist())


# --- what is said of them ---------------------------------------------------------------------------------------------


def _order(field: _Field) -> list[int]:
    """Order methods from the best; equal ones by their replicates, so that names decide nothing."""
    drawn = [column.tobytes() for column in field.replicates.T.astype(">f8")]
    return sorted(range(len(drawn)), key=lambda place: (-field.estimates[place], drawn[place]))


def _standings(
    field: _Field, sets: RankSets, alone: tuple[IntArray, IntArray], shown: Letters
) -> Mapping[str, Standing]:
    columns = zip(
        field.methods,
        sets.lower.tolist(),
        sets.upper.tolist(),
        shown.texts,
        probability_best(field.replicates),
        zip(*(end.tolist() for end in alone), strict=True),
        strict=True,
    )
    return {
        method: Standing(method, low, high, text, low == 1, probability, own)
        for method, low, high, text, probability, own in columns
    }


def _sentence(field: _Field, benchmark: Benchmark) -> str:
    settings = benchmark.bootstrap
    return (
        f"Ranks hold jointly for all {numerals.count(len(field.entries))} methods with "
        f"{numerals.level(settings.confidence)} confidence: studentised paired differences over "
        f"{numerals.count(settings.resamples)} shared resamples of {numerals.count(len(field.rows))} samples, "
        "corrected for all ordered pairs by step-down (Mogstad, Romano, Shaikh & Wilhelm 2023). Methods that share a "
        "letter are not told apart."
    )


def _gap(metric: Metric) -> float | None:
    """Return one hundredth of the metric's range."""
    return None if metric.lower is None or metric.upper is None else (metric.upper - metric.lower) / 100


def _records(field: _Field, tested: Callable[[str, str], float], confidence: float) -> tuple[RecordStep, ...]:
    dated = [
        Dated(entry.method, entry.report.run.finished, value)
        for entry, value in zip(field.entries, field.estimates.tolist(), strict=True)
        if entry.report.run.finished is not None
    ]
    return records(dated, tested, confidence)


def _oriented(found: Leader, sign: int) -> Leader:
    return replace(found, value=sign * found.value + 0.0, adjusted=sign * found.adjusted + 0.0)


class _McNemar:
    """Test a new top against the one it replaced by their discordant samples."""

    name = "exact two-sided McNemar test"

    def __init__(self, field: _Field) -> None:
        self._values = dict(zip(field.methods, field.values, strict=True))

    def __call__(self, new: str, replaced: str) -> float:
        difference = self._values[new] - self._values[replaced]
        return mcnemar(int((difference < 0).sum()), int((difference > 0).sum()))


class _Centred:
    """Test a new top by how often centred replicates of the paired difference are as extreme as it is.

    (k + 1) / (R + 1), two-sided (Davison & Hinkley 1997, §4.4).
    """

    name = "two-sided paired bootstrap test"

    def __init__(self, field: _Field) -> None:
        self._place = {method: place for place, method in enumerate(field.methods)}
        self._field = field

    def __call__(self, new: str, replaced: str) -> float:
        one, other = self._place[new], self._place[replaced]
        gain = float(self._field.estimates[one] - self._field.estimates[other])
        drawn = self._field.replicates[:, one] - self._field.replicates[:, other]
        extreme = np.abs(drawn - gain) >= math.fabs(gain) * (1 - ROUNDING)
        return (int(extreme.sum()) + 1) / (len(drawn) + 1)
