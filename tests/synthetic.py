"""A made-up site with everything that a page may have to show; all of its numbers are computed, none is invented.

`text` is applied to every free text of a report or a setting, so that a test can put hostile strings everywhere.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from functools import cache

import numpy as np

from tallystick.board import (
    Board,
    Breakdown,
    ClusterEstimate,
    Comparison,
    Entry,
    Estimate,
    Interval,
    Leader,
    Ledger,
    Link,
    McNemar,
    Outcome,
    Prose,
    Ranking,
    Rate,
    RecordStep,
    Resolution,
    Site,
    SiteSettings,
    Standing,
)
from tallystick.errors import Problem
from tallystick.model import (
    STATUSES,
    Benchmark,
    BootstrapSettings,
    Column,
    DeclaredComparison,
    Fingerprint,
    Method,
    Metric,
    PinnedFingerprint,
    Reconciliation,
    Report,
    Run,
    SampleSet,
    Source,
    Status,
    Unread,
    Varying,
)

Text = Callable[[str], str]
SETTINGS = BootstrapSettings(resamples=200)
CATEGORIES = ("causal", "entity", "numeric", "temporal")
METHODS = (
    ("vanilla", "Vanilla retrieval", "baseline", 0.55),
    ("rerank", "Rerank then read", "baseline", 0.66),
    ("debate", "Debate of two readers", "baseline", 0.70),
    ("far", "FAR, full", "method", 0.86),
    ("far_minus_revision", "FAR without revision", "ablation", 0.82),
    ("far_minus_conflict", "FAR without typed conflicts", "ablation", 0.80),
)


def same(text: str) -> str:
    return text


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def quantile(ordered: list[float], q: float) -> float:
    position = q * (len(ordered) - 1)
    low = math.floor(position)
    weight = position - low
    return ordered[low] * (1 - weight) + ordered[min(low + 1, len(ordered) - 1)] * weight


def bootstrap(strata: list[list[float]]) -> tuple[Interval, list[float]]:
    stream = random.Random(SETTINGS.seed)
    n = sum(map(len, strata))
    replicates = [
        math.fsum(stream.choice(stratum) for stratum in strata for _ in stratum) / n for _ in range(SETTINGS.resamples)
    ]
    alpha = (1 - SETTINGS.confidence) / 2
    ordered = sorted(replicates)
    return Interval(quantile(ordered, alpha), quantile(ordered, 1 - alpha)), replicates


def metrics(text: Text) -> tuple[Metric, ...]:
    return (
        Metric(
            "accuracy", text("Accuracy"), "mean", {"value": "correct"}, binary=True, description=text("Right answers.")
        ),
        Metric(
            "soft_f1", text("Soft F1"), "mean", {"value": "soft_f1"}, description=text("Overlap with the reference.")
        ),
        Metric("unsupported", text("Unsupported claims"), "mean", {"value": "unsupported"}, direction="lower"),
        Metric("overclaim", text("Overclaim reduction"), "mean", {"value": "overclaim"}, lower=-1.0),
    )


def samples(n: int, text: Text) -> SampleSet:
    ids = tuple(f"sample-{i:03d}" for i in range(n))
    category = tuple(CATEGORIES[(i * i) % 7 % 4] for i in range(n))
    language = tuple("zh" if i % 3 else "en" for i in range(n))
    return SampleSet(
        ids=ids,
        axes={"category": tuple(map(text, category)), "language": tuple(map(text, language))},
        strata=tuple(map(text, category)),
        clusters=tuple(text(f"document-{i // 4}") if i % 11 else None for i in range(n)),
        rows=tuple({} for _ in ids),
        digest=digest("samples"),
        path="samples.jsonl",
    )


def benchmark(board: str, n: int, diagnostic: str | None, text: Text) -> Benchmark:
    return Benchmark(
        id=board,
        title=text("Falsification-aware retrieval"),
        description=text("Questions whose evidence contradicts itself: can a reader tell, and revise its answer?"),
        protocol="native",
        fingerprint=PinnedFingerprint(digest("b"), digest("c"), Varying(text("each method has its prompts")), None),
        samples=samples(n, text),
        axes=("category", "language"),
        stratum="category",
        cluster="document",
        metrics=metrics(text),
        primary="accuracy",
        comparisons=(
            DeclaredComparison("vanilla", ("rerank", "debate", "far"), text("against vanilla")),
            DeclaredComparison("far", ("far_minus_revision", "far_minus_conflict"), text("ablations")),
        ),
        bootstrap=SETTINGS,
        diagnostic=diagnostic,
        created=datetime(2026, 1, 1, tzinfo=UTC),
        supplements={},
        options={},
        links={text("Paper"): "https://example.org/paper"},
    )


def report(
    bench: Benchmark, name: str, title: str, kind: str, skill: float, gaps: int, text: Text, partial: bool = False
) -> Report:
    stream = random.Random(name)
    n = len(bench.samples.ids)
    statuses: list[Status] = ["scored"] * n
    for i in stream.sample(range(n), gaps):
        statuses[i] = stream.choice([s for s in STATUSES if s != "scored"])
    hard = [random.Random(i).random() for i in range(n)]
    correct = [float(h < skill) if stream.random() < 0.8 else float(stream.random() < skill) for h in hard]
    columns = {
        "accuracy": correct,
        "soft_f1": [min(1.0, max(0.0, c * 0.8 + stream.uniform(-0.1, 0.2))) for c in correct],
        "unsupported": [stream.random() * (1 - skill) for _ in hard],
        "overclaim": [stream.uniform(-0.5, 1.0) for _ in hard],
    }
    scored = np.array([s == "scored" for s in statuses])
    defined = {m: scored & (np.arange(n) % 9 != 0) if m == "overclaim" else scored for m in columns}
    return Report(
        method=Method(name, text(title), "https://example.org/" + name, text(kind)),
        protocol="native",
        fingerprint=Fingerprint(digest("b"), digest("c"), digest(name), None),
        sources=(
            Source(f"reports/{name}.json", digest(name), 31_415),
            Source(f"reports/{name}/scores.jsonl", digest(name + "s"), 2_718_281),
        ),
        scores_digest=digest(name + "s"),
        run=Run(datetime(2026, 3, 1, tzinfo=UTC), True, partial, False),
        ids=bench.samples.ids,
        statuses=tuple(statuses),
        columns={m: Column(np.where(defined[m], np.array(v), 0.0)[:, None], defined[m]) for m, v in columns.items()},
        provenance={text("run signature"): digest("run" + name), text("judge"): text("a model, 32k tokens")},
        unverified=(text("answers were not rescored: no gold file"),),
    )


def values(rep: Report, metric: str, chosen: np.ndarray | None = None) -> list[tuple[int, float]]:
    column = rep.columns[metric]
    keep = column.defined if chosen is None else column.defined & chosen
    return [(int(i), float(column.statistics[i, 0])) for i in np.flatnonzero(keep)]


def estimate(bench: Benchmark, rep: Report, metric: Metric, chosen: np.ndarray | None = None) -> Estimate:
    drawn = values(rep, metric.id, chosen)
    scored = all(s == "scored" for s in rep.statuses)
    total = len(rep.ids) if chosen is None else int(chosen.sum())
    if metric.id == "overclaim":
        total = min(total, len(drawn)) if scored else total
    if not drawn:
        return Estimate(metric.id, None, None, 0, total, False, note="no sample has a value")
    strata: dict[str, list[float]] = {}
    for i, value in drawn:
        strata.setdefault(bench.samples.strata[i], []).append(value)
    interval, replicates = bootstrap([strata[name] for name in sorted(strata)])
    value = math.fsum(v for _, v in drawn) / len(drawn)
    lost = (total - len(drawn)) / total
    low, high = (metric.lower or 0.0), (metric.upper or 0.0)
    share = 1 - lost
    return Estimate(
        metric=metric.id,
        value=value,
        interval=interval,
        n=len(drawn),
        total=total,
        conditional=not scored,
        bounds=None if scored else Interval(value * share + low * lost, value * share + high * lost),
        cluster=ClusterEstimate(value, Interval(interval.lower - 0.01, interval.upper + 0.01), 14, 6),
        standard_error=float(np.std(replicates)),
    )


def rate(k: int, n: int) -> Rate:
    if n == 0:
        return Rate(0, 0, None, None)
    p, z = k / n, 1.959963984540054
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Rate(k, n, p, Interval(max(0.0, middle - half), min(1.0, middle + half)))


def ledger(statuses: tuple[Status, ...]) -> Ledger:
    counts = {s: statuses.count(s) for s in STATUSES}
    n = len(statuses)
    return Ledger(
        n,
        counts,
        rate(counts["scored"], n),
        rate(counts["abstained"], n),
        rate(n - counts["missing"] - counts["invalid"], n),
    )


def reconciliations(rep: Report, text: Text, differing: int = 0) -> tuple[Reconciliation, ...]:
    found = [
        Reconciliation(text(f"{rep.path} /stated/{i}"), 0.5 + i / 7, 0.5 + i / 7, "exact", "plain", "report")
        for i in range(24)
    ]
    found += [
        Reconciliation(text(f"{rep.path} /rows/{i}"), 1.0, 1.0, "exact", "correctly rounded", "rows") for i in range(90)
    ]
    found.append(Reconciliation(text(f"{rep.path} /mean"), 0.1, 0.1 + 2**-55, "agrees", "plain", "report"))
    found.append(Reconciliation(text(f"{rep.path} /cost"), 3, None, "unverified", "", "report", text("no price list")))
    found += [
        Reconciliation(
            text(f"{rep.path} /wrong/{i}"), 0.696, 0.0, "differs", "", "report", text("another seed, perhaps")
        )
        for i in range(differing)
    ]
    return tuple(found)


def entry(
    bench: Benchmark, rep: Report, outcome: Outcome, text: Text, problems: tuple[Problem, ...] = (), differing: int = 0
) -> Entry:
    breakdowns = []
    if outcome != "refused":
        for axis in bench.axes:
            for name in sorted(set(bench.samples.axes[axis]) - {None}):
                chosen = np.array([v == name for v in bench.samples.axes[axis]])
                part = tuple(s for s, c in zip(rep.statuses, chosen, strict=True) if c)
                found = {m.id: estimate(bench, rep, m, chosen) for m in bench.metrics}
                breakdowns.append(Breakdown(axis, str(name), ledger(part), found))
    return Entry(
        report=rep,
        outcome=outcome,
        problems=problems,
        reconciliations=reconciliations(rep, text, differing),
        ledger=ledger(rep.statuses),
        estimates={} if outcome == "refused" else {m.id: estimate(bench, rep, m) for m in bench.metrics},
        breakdowns=tuple(breakdowns),
        complete=all(s == "scored" for s in rep.statuses),
    )


def comparison(bench: Benchmark, metric: Metric, base: Report, cand: Report, family: DeclaredComparison) -> Comparison:
    left, right = dict(values(base, metric.id)), dict(values(cand, metric.id))
    both = sorted(set(left) & set(right))
    strata: dict[str, list[float]] = {}
    for i in both:
        strata.setdefault(bench.samples.strata[i], []).append(right[i] - left[i])
    interval, replicates = bootstrap([strata[name] for name in sorted(strata)])
    test = None
    if metric.binary:
        b = sum(left[i] == 1 and right[i] == 0 for i in both)
        c = sum(left[i] == 0 and right[i] == 1 for i in both)
        p = min(1.0, 2 * sum(math.comb(b + c, k) for k in range(min(b, c) + 1)) / 2 ** (b + c))
        wins = sum(left[i] == 1 and right[i] == 1 for i in both)
        size = len(family.candidates)
        test = McNemar(b, c, wins, len(both) - b - c - wins, p, min(1.0, p * size), family.family, size)
    return Comparison(
        metric=metric.id,
        baseline=base.method.id,
        candidate=cand.method.id,
        baseline_digest=base.scores_digest,
        difference=math.fsum(right[i] - left[i] for i in both) / len(both),
        interval=interval,
        probability=sum(metric.sign * r > 0 for r in replicates) / len(replicates),
        pairs=len(both),
        left_out=len(set(left) ^ set(right)),
        overlap=len(both) / len(bench.samples.ids),
        test=test,
    )


def problem(text: Text, effect: str = "refuse") -> Problem:
    return Problem(
        "stated-differs",
        text("reports/inflated.json /stated/accuracy/estimate"),
        text("0.0 (recomputed from 60 samples)"),
        text("0.696"),
        text("State what follows from the samples, or leave it out."),
        effect,  # type: ignore[arg-type]
    )


def ranking(standings: Mapping[str, Standing], n: int) -> Ranking:
    return Ranking(
        metric="accuracy",
        samples=n,
        standings=standings,
        unranked={},
        sentence="Ranks hold jointly for all methods.",
        leader=Leader(("far",), 0.85, 0.012, 0.838),
        resolution=Resolution(0.8, 0.95, n, 5, 0.4, 0.144, 0.01, 12_345),
        test="exact two-sided McNemar test",
        records=(
            RecordStep(date(2026, 1, 2), ("vanilla",), 0.72),
            RecordStep(date(2026, 3, 1), ("far",), 0.85, ("vanilla",), 0.13, 0.077, 0.077, False),
        ),
    )


@cache
def board(board_id: str = "far", n: int = 60, diagnostic: str | None = None, text: Text = same) -> Board:
    bench = benchmark(board_id, n, diagnostic, text)
    shown: Outcome = "diagnostic" if diagnostic else "admitted"
    reports = [report(bench, *method, 0, text) for method in METHODS]
    entries = [entry(bench, rep, shown, text) for rep in reports]
    entries.sort(key=lambda e: -(e.estimates["accuracy"].value or 0.0))
    short = [report(bench, "abstainer", "Careful abstainer", "method", 0.9, 20, text)]
    half = report(bench, "halfway", "Stopped half-way", "method", 0.6, 12, text, partial=True)
    wrong = report(bench, "inflated", "Inflated", "method", 0.3, 0, text)
    note = Problem(
        "partial-report", text("reports/halfway.json /run"), "a complete run", "partial", "Finish it.", "diagnostic"
    )
    by_id = {rep.method.id: rep for rep in reports}
    pairs = tuple(
        comparison(bench, metric, by_id[family.baseline], by_id[candidate], family)
        for family in bench.comparisons
        for candidate in family.candidates
        for metric in bench.metrics
    )
    standings = {}
    if not diagnostic:
        for place, shown_entry in enumerate(entries, start=1):
            lower, upper = max(1, place - 1), min(len(entries), place + 2)
            standings[shown_entry.method] = Standing(
                shown_entry.method, lower, upper, "ab" if place == 3 else "a" if place < 3 else "b", place < 3
            )
    return Board(
        benchmark=bench,
        entries=(*entries, *(entry(bench, rep, shown, text) for rep in short)),
        diagnostic=() if diagnostic else (entry(bench, half, "diagnostic", text, (note,)),),
        refused=(entry(bench, wrong, "refused", text, (problem(text), problem(text)), differing=2),),
        unread=(
            Unread(
                text("reports/broken.json"),
                None,
                (
                    Problem(
                        "json-syntax",
                        text("reports/broken.json line 3"),
                        "JSON",
                        text("<html>"),
                        "Send JSON.",
                        "refuse",
                    ),
                ),
            ),
        ),
        comparisons=pairs,
        standings=standings,
        ranking=ranking(standings, n) if standings else None,
        notes=(text("Two spellings of one name: Inflated, inflated."),),
    )


def site(text: Text = same, base_url: str | None = None) -> Site:
    return Site(
        settings=SiteSettings(
            title=text("Benchmarks of the workshop"),
            description=text("Verified results, with what the data can tell apart."),
            base_url=base_url,
            footer=text("Kept by the workshop."),
            links=(Link(text("Source"), "https://example.org/source"),),
        ),
        boards=(
            board(text=text),
            board("pilot", 36, text("A pilot run: prompts were still changing between methods."), text),
        ),
        prose=(
            Prose("index", text("Welcome"), "", "Every number here was **recomputed**. See [about](about.html).", 0),
            Prose("about", text("About"), text("Who keeps this site"), "# About\n\n[mail](mailto:a@example.org)\n", 1),
        ),
    )
