"""Hold a report against its benchmark: fingerprint, sample set, values, identity. Returns problems and never raises.

What only one kind of report can be asked is its protocol's own `check`; stated numbers are `reconcile`'s.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from tallystick import metrics
from tallystick.board import Judgement, Outcome, Withdrawal
from tallystick.errors import Problem, some
from tallystick.identity import identity
from tallystick.model import COMPONENTS, Benchmark, Column, Metric, MetricKind, Report, Varying
from tallystick.strict import capped

CLAIMS = frozenset({"content-replayed", "method-doubled"})
"""Problems of a report that another one came before."""


def verify(reports: Sequence[Report], benchmark: Benchmark, now: datetime) -> tuple[tuple[Problem, ...], ...]:
    """Return for each report every problem that follows from it, its benchmark and the other reports as read.

    `reports` come in the order of `precedence`: of two that claim the same content or the same method, the first
    stands. `now` bounds finish dates.
    """
    identities = identity(reports)
    return tuple(
        cap(
            (
                *report.problems,
                *_fingerprint(report, benchmark, reports),
                *_sample_set(report, benchmark),
                *_sample_axes(report, benchmark),
                *_values(report, benchmark),
                *_run(report, benchmark, now),
                *identities[index],
            )
        )
        for index, report in enumerate(reports)
    )


def precedence(report: Report) -> tuple[str, str]:
    """Sort key that decides which of two reports stands: the earlier finished, then the first by path."""
    finished = report.run.finished
    return (finished.isoformat() if finished else "9999", report.path)


def refused(problems: Iterable[Problem], but: Collection[str] = ()) -> bool:
    """Say whether a problem refuses its report, leaving aside those with the codes in `but`."""
    return any(problem.effect == "refuse" and problem.code not in but for problem in problems)


def outcome(problems: Iterable[Problem], benchmark: Benchmark) -> Outcome:
    """Judge by the worst effect; what is set aside on a board of evidence is shown on a diagnostic one."""
    effects = {problem.effect for problem in problems}
    if "refuse" in effects:
        return "refused"
    if "diagnostic" in effects and benchmark.diagnostic is None:
        return "diagnostic"
    return "admitted"


def cap(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Keep at most fifty problems of a report, refusals first."""
    return capped(sorted(problems, key=lambda problem: ("refuse", "diagnostic", "note").index(problem.effect)))


def withdrawn(judgement: Judgement, withdrawals: Iterable[Withdrawal]) -> Judgement:
    """Take a report back where the maintainer withdrew its method, whatever verification made of it."""
    for taken_back in withdrawals:
        if taken_back.method == judgement.report.method.id:
            problems = (taken_back.problem(judgement.report.path), *judgement.problems)
            return replace(judgement, outcome="withdrawn", problems=problems)
    return judgement


# --- fingerprint ------------------------------------------------------------------------------------------------------


def _fingerprint(report: Report, benchmark: Benchmark, peers: Sequence[Report]) -> Iterator[Problem]:
    for component in COMPONENTS:
        pinned = getattr(benchmark.fingerprint, component)
        found = getattr(report.fingerprint, component)
        if isinstance(pinned, Varying) or pinned == found:
            continue
        yield Problem(
            f"fingerprint-{component}",
            report.path,
            f"the {component} hash that the board pins, {pinned or 'none'}{_holders(peers, component, pinned)}",
            f"{found or 'none'}{_holders(peers, component, found, but=report)}",
            f"Reports with different {component} hashes must not be compared. Run the method again with the pinned "
            f"{component}, or ask the maintainer for a board of its own.",
        )


def _holders(peers: Sequence[Report], component: str, value: str | None, but: Report | None = None) -> str:
    if value is None:
        return ""
    names = sorted({peer.method.id for peer in peers if getattr(peer.fingerprint, component) == value and peer != but})
    return f" ({some(names)})" if names else (" (no other report here)" if but else "")


# --- the sample set ---------------------------------------------------------------------------------------------------


def _sample_set(report: Report, benchmark: Benchmark) -> Iterator[Problem]:
    if report.ids == benchmark.samples.ids:  # as most are
        return
    expected = set(benchmark.samples.ids)
    counts = Counter(report.ids)
    remedy = "Report every sample of the benchmark exactly once; say how an unscored one ended by its status."
    total = f"the {len(expected)} samples of {benchmark.samples.path}"
    if missing := sorted(expected - counts.keys()):
        yield Problem("samples-missing", report.path, total, f"{len(missing)} missing: {some(missing)}", remedy)
    if extra := sorted(counts.keys() - expected):
        yield Problem("samples-unknown", report.path, total, f"{len(extra)} unknown: {some(extra)}", remedy)
    if doubled := sorted(sample for sample, count in counts.items() if count > 1):
        found = f"{len(doubled)} more than once: {some(doubled)}"
        yield Problem("samples-doubled", report.path, "each sample once", found, remedy)


def _sample_axes(report: Report, benchmark: Benchmark) -> Iterator[Problem]:
    stated: dict[str, tuple[Sequence[str | None], Sequence[str | None]]] = {
        axis: (values, benchmark.samples.axes[axis])
        for axis, values in report.axes.items()
        if axis in benchmark.samples.axes
    }
    if report.clusters is not None and benchmark.samples.clusters is not None:
        stated[benchmark.cluster or "cluster"] = (report.clusters, benchmark.samples.clusters)
    position = {sample: index for index, sample in enumerate(benchmark.samples.ids)} if stated else {}
    for axis, (values, pinned) in sorted(stated.items()):
        wrong = [
            f"{sample} ({value!r}, not {pinned[position[sample]]!r})"
            for sample, value in zip(report.ids, values, strict=True)
            if sample in position and value != pinned[position[sample]]
        ]
        if wrong:
            yield Problem(
                "sample-axis",
                report.path,
                f"each sample's {axis} as in {benchmark.samples.path}",
                f"{len(wrong)} that differ: {some(wrong)}",
                f"A report cannot bring its own {axis}: evaluate on the pinned samples.",
            )


# --- values -----------------------------------------------------------------------------------------------------------


def _values(report: Report, benchmark: Benchmark) -> Iterator[Problem]:
    kinds = metrics.kinds()
    scored = np.array([status == "scored" for status in report.statuses], dtype=bool)
    for metric in benchmark.metrics:
        column = report.columns.get(metric.id)
        if column is not None:
            yield from _definedness(report, metric, column, scored)
            yield from _bounds(report, metric, kinds[metric.kind], column)


def _definedness(report: Report, metric: Metric, column: Column, scored: np.ndarray) -> Iterator[Problem]:
    if metric.over == "all":
        wrong = ~column.defined
        expected, found = "a value for every sample, whatever its status", "without one"
    else:
        wrong = column.defined & ~scored
        expected, found = "no value for a sample that was not scored", "with one"
    if wrong.any():
        names = [report.ids[index] for index in np.flatnonzero(wrong)]
        yield Problem(
            "value-and-status",
            f"{report.path} {metric.id}",
            expected,
            f"{len(names)} samples {found}: {some(names)}",
            "Give each sample the status that it ended with, and values only where that status allows them.",
        )


def _bounds(report: Report, metric: Metric, kind: MetricKind, column: Column) -> Iterator[Problem]:
    lower = -np.inf if metric.lower is None else metric.lower
    upper = np.inf if metric.upper is None else metric.upper
    if kind.linear:
        outside = column.defined & ((column.statistics < lower) | (column.statistics > upper)).any(axis=1)
        reasons: Mapping[int, str] = {
            int(index): repr(float(column.statistics[index, 0])) for index in np.flatnonzero(outside)
        }
    else:
        reasons = _broken_statistics(kind, column)
    if reasons:
        shown = [f"{report.ids[index]} ({reason})" for index, reason in reasons.items()]
        expected = f"values in [{lower:g}, {upper:g}]" if kind.linear else f"the statistics of {kind.id} to add up"
        yield Problem(
            "value-out-of-bounds",
            f"{report.path} {metric.id}",
            expected,
            f"{len(shown)} that cannot be: {some(shown)}",
            "Check the evaluation that wrote these values, or the metric's bounds in benchmark.yaml.",
        )
    if metric.binary and (fraction := column.defined & ~np.isin(column.statistics[:, 0], (0.0, 1.0))).any():
        names = [report.ids[index] for index in np.flatnonzero(fraction)]
        yield Problem(
            "value-not-binary",
            f"{report.path} {metric.id}",
            "0 or 1, as benchmark.yaml declares the metric binary",
            f"{len(names)} other values: {some(names)}",
            "State 0 or 1, or ask the maintainer to declare the metric otherwise.",
        )


def _broken_statistics(kind: MetricKind, column: Column) -> Mapping[int, str]:
    found = {}
    for index in np.flatnonzero(column.defined):
        if reason := kind.check(tuple(float(value) for value in column.statistics[index])):
            found[int(index)] = reason
    return found


# --- the run ----------------------------------------------------------------------------------------------------------


def _run(report: Report, benchmark: Benchmark, now: datetime) -> Iterator[Problem]:
    run = report.run
    for told, code, what in (
        (run.partial or not run.complete, "run-partial", "a partial run"),
        (run.demo, "run-demo", "a demo run"),
    ):
        if told:
            remedy = "Finish the run on every sample; a partial or demo report is never publication evidence."
            yield Problem(code, report.path, "a complete run", what, remedy, "diagnostic")
    if run.finished is None:
        return
    if run.finished > now:
        yield _date(report, run.finished, f"a finish date that has passed ({now.date()})")
    if benchmark.created and run.finished < benchmark.created:
        yield _date(report, run.finished, f"a finish date after the benchmark was made ({benchmark.created.date()})")


def _date(report: Report, finished: datetime, expected: str) -> Problem:
    remedy = "State when the run really finished, with its time zone."
    return Problem("run-date", report.path, expected, finished.isoformat(), remedy)
