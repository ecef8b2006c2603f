"""What a native report states, and what each number must follow from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tallystick.errors import Problem
from tallystick.model import (
    MOST_RESAMPLES,
    Benchmark,
    BoolArray,
    Column,
    Computed,
    CountOf,
    FloatArray,
    IntervalOf,
    MeanOf,
    Metric,
    Quantity,
    Stated,
)
from tallystick.schemas.report import PartShape, ReportShape, StatedShape
from tallystick.settings.mistakes import listed, nearest
from tallystick.strict import pointer

_SPREAD = "sample standard deviation over the square root of n"


def stated_problems(shape: ReportShape, path: str, benchmark: Benchmark) -> Iterator[Problem]:
    """Yield what is wrong with the statements themselves, whatever the samples say."""
    known = [metric.id for metric in benchmark.metrics]
    for metric, stated in shape.stated.items():
        where = f"{path} {pointer(('stated', metric))}"
        if metric not in known:
            yield Problem("metric-unknown", where, listed(known), f"`{metric}`", nearest(metric, known))
        if metric in known:
            yield from _beyond_checking(stated, where, benchmark.metric(metric), benchmark)
        lower, upper = stated.lower, stated.upper
        if (lower is None) != (upper is None):
            yield Problem("interval-half", where, "both ends of an interval, or none", "one end", "State both ends.")
        elif lower is not None and upper is not None and not lower <= upper:
            found = f"lower {lower!r} and upper {upper!r}"
            yield Problem("interval-reversed", where, "lower at most upper", found, "Mend the interval.")
        for axis, values in stated.by.items():
            place = f"{path} {pointer(('stated', metric, 'by', axis))}"
            if axis not in benchmark.axes:
                expected = listed(benchmark.axes) if benchmark.axes else "no axis: this benchmark declares none"
                yield Problem("axis-unknown", place, expected, f"`{axis}`", nearest(axis, benchmark.axes))
            else:
                held = {value for value in benchmark.samples.axes[axis] if value is not None}
                for value in sorted(values.keys() - held):
                    yield Problem("axis-unknown", place, listed(sorted(held)), f"`{value}`", nearest(value, held))


def _beyond_checking(stated: StatedShape, where: str, metric: Metric, benchmark: Benchmark) -> Iterator[Problem]:
    """Yield a refusal for numbers that nobody here could hold against the samples: they would stand unverified."""
    most = max(MOST_RESAMPLES, benchmark.bootstrap.resamples)
    if stated.lower is not None and stated.resamples is not None and stated.resamples > most:
        remedy = "Draw it with fewer, or leave the interval out: the board draws its own."
        expected, found = f"an interval of at most {most:,} resamples", f"one of {stated.resamples:,}"
        yield Problem("resamples-too-many", f"{where}/resamples", expected, found, remedy)
    parts: tuple[StatedShape | PartShape, ...] = (
        stated,
        *(part for values in stated.by.values() for part in values.values()),
    )
    if len(metric.fields) > 1 and any(part.standard_error is not None for part in parts):
        expected, found = "a standard error of a mean only", f"one of a metric of kind {metric.kind}"
        yield Problem("stated-unknown", where, expected, found, "Leave `standard_error` out, or state an interval.")


def difference_problems(shape: ReportShape, path: str, benchmark: Benchmark) -> Iterator[Problem]:
    """Yield a refusal for each known difference that the maintainer has not accepted by name."""
    for name in sorted(shape.differences.keys() - set(benchmark.accepts)):
        yield Problem(
            "difference-not-accepted",
            f"{path} {pointer(('differences', name))}",
            "stated numbers that follow from the samples",
            shape.differences[name],
            f"If that is how this format counts, the maintainer may accept it: `accepts: [{name}]` in benchmark.yaml.",
        )


def stated_numbers(
    shape: ReportShape, path: str, benchmark: Benchmark, ids: Sequence[str], columns: Mapping[str, Column]
) -> Iterator[Stated]:
    """Yield every number to be reconciled, without those under a known difference.

    Those are `excused` where the maintainer accepts it; where not, the difference itself refuses the report.
    """
    for metric, stated in shape.stated.items():
        where = ("stated", metric)
        if stated.under not in shape.differences:
            yield from _numbers(path, where, stated, _whole(metric, stated, benchmark))
            yield from _spread(path, where, stated, columns.get(metric), None)
        for axis, values in stated.by.items():
            held = dict(zip(benchmark.samples.ids, benchmark.samples.axes[axis], strict=True))
            for value, part in values.items():
                rows = np.array([held.get(name) == value for name in ids], dtype=np.bool_)
                if part.under not in shape.differences:
                    place = (*where, "by", axis, value)
                    yield from _numbers(path, place, part, _of_part(metric, axis, value))
                    yield from _spread(path, place, part, columns.get(metric), rows)
    for status, count in shape.counts.items():
        yield Stated(f"{path} {pointer(('counts', status))}", count, CountOf(status=status))


def excused(shape: ReportShape, benchmark: Benchmark) -> Iterator[str]:
    """Say which stated numbers are not held against the samples, because the maintainer accepted why they differ."""
    accepted = shape.differences.keys() & set(benchmark.accepts)
    for name in sorted(accepted):
        yield f"Accepted difference `{name}`: {shape.differences[name]}"[:500]
    for metric, stated in shape.stated.items():
        if stated.under in accepted and stated.estimate is not None:
            yield f"{metric} is stated as {stated.estimate!r}, under the accepted difference `{stated.under}`"


def _numbers(
    path: str, where: tuple[str, ...], stated: StatedShape | PartShape, quantities: Mapping[str, Quantity]
) -> Iterator[Stated]:
    for name, quantity in quantities.items():
        value = getattr(stated, name)
        if value is not None:
            yield Stated(f"{path} {pointer((*where, name))}", value, quantity)


def _whole(metric: str, stated: StatedShape, benchmark: Benchmark) -> dict[str, Quantity]:
    """Return what each number of a stated metric must follow from; the benchmark's bootstrap where it says nothing."""
    resamples = stated.resamples or benchmark.bootstrap.resamples
    seed = benchmark.bootstrap.seed if stated.seed is None else stated.seed
    confidence = stated.confidence or benchmark.bootstrap.confidence
    return {
        "estimate": MeanOf(metric),
        "lower": IntervalOf(metric, "lower", "stratified", resamples, seed, confidence),
        "upper": IntervalOf(metric, "upper", "stratified", resamples, seed, confidence),
        "n": CountOf(metric=metric),
    }


def _of_part(metric: str, axis: str, value: str) -> dict[str, Quantity]:
    """Return what each number stated of one axis value's samples must follow from."""
    return {"estimate": MeanOf(metric, axis, value), "n": CountOf(axis=axis, axis_value=value, metric=metric)}


def _spread(
    path: str, where: tuple[str, ...], stated: StatedShape | PartShape, column: Column | None, rows: BoolArray | None
) -> Iterator[Stated]:
    if stated.standard_error is None or column is None or column.statistics.shape[1] != 1:
        return
    error = _standard_error(_values(column, rows))
    yield Stated(f"{path} {pointer((*where, 'standard_error'))}", stated.standard_error, Computed(error, _SPREAD))


def _values(column: Column, rows: BoolArray | None) -> FloatArray:
    kept = column.defined if rows is None else column.defined & rows
    found: FloatArray = column.statistics[kept, 0]
    return found


def _standard_error(values: FloatArray) -> float | None:
    """Return s / √n with s² = Σ(x − mean)² / (n − 1); None for fewer than two values."""
    n = len(values)
    if n < 2:
        return None
    mean = math.fsum(values) / n
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1)) / math.sqrt(n)
