"""How the numbers of a board are computed: in words, and as ten lines of plain Python that repeat one of them.

The ten lines read a data file that lies beside the page, and give the published interval to the last bit.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import partial

from tallystick import numerals
from tallystick.board import Board, Data, Document, Entry, Estimate, Link, PageType, Site
from tallystick.model import Metric
from tallystick.pages._frame import computation_path, method_path, page
from tallystick.pages._words import ranked, recipe
from tallystick.table import Cell, Column, Row, Table

DATA = "computation.json"
PROGRAM = f"""\
import json, math, random
data = json.load(open("{DATA}", encoding="utf-8"))
stream, replicates = random.Random(data["seed"]), []
for _ in range(data["resamples"]):
    drawn = [stream.choice(stratum) for stratum in data["strata"] for _ in stratum]
    replicates.append(math.fsum(drawn) / len(drawn))
replicates, alpha = sorted(replicates), (1 - data["confidence"]) / 2
for position in (alpha * (len(replicates) - 1), (1 - alpha) * (len(replicates) - 1)):
    lower, upper, weight = replicates[math.floor(position)], replicates[math.ceil(position)], position % 1
    print(lower * (1 - weight) + upper * weight)
"""


@dataclass(frozen=True, slots=True)
class Example:
    """One published interval and the values that it follows from."""

    entry: Entry
    metric: Metric
    estimate: Estimate
    strata: tuple[tuple[float, ...], ...]


def documents(site: Site) -> tuple[Document | Data, ...]:
    """Make one page for each board and, where an interval can be repeated, the data file beside it."""
    made: list[Document | Data] = []
    for board in site.boards:
        example = _example(board)
        made.append(_document(site, board, example))
        if example is not None:
            made.append(Data(f"{board.benchmark.id}/{DATA}", partial(_data, board, example)))
    return tuple(made)


def _document(site: Site, board: Board, example: Example | None) -> Document:
    path = computation_path(board)
    bench = board.benchmark
    return page(
        site,
        path,
        "computation.html",
        title="How these numbers are computed",
        description=f"The procedure behind every number of {bench.title}, with a program that repeats one of them.",
        board=board,
        crumbs=(Link("Computation", path),),
        resamples=numerals.count(bench.bootstrap.resamples),
        seed=numerals.exact(bench.bootstrap.seed),
        confidence=numerals.level(bench.bootstrap.confidence),
        samples=numerals.count(len(bench.samples.ids)),
        samples_digest=bench.samples.digest,
        stratum=bench.stratum,
        clustered=bench.samples.clusters is not None,
        ranked=ranked(board),
        compared=bool(board.comparisons),
        tested=any(found.test is not None for found in board.comparisons),
        metrics=_metrics(board),
        program=PROGRAM,
        example=_shown(board, example) if example is not None else None,
        recipe=recipe(board),
    )


def _metrics(board: Board) -> Table:
    columns = (
        Column("metric", "Metric", "header"),
        Column("kind", "Kind", "text"),
        Column("direction", "Better", "text"),
        Column("bounds", "A sample's value", "text"),
        Column("over", "Defined over", "text"),
        Column("about", "What it says", "text"),
    )
    return Table("metrics", "Metrics", columns, tuple(_metric_row(metric) for metric in board.benchmark.metrics))


def _metric_row(metric: Metric) -> Row:
    cells = (
        Cell(metric.title, metric.id),
        Cell(metric.kind.replace("_", " ")),
        Cell(metric.direction),
        Cell("0 or 1" if metric.binary else f"{numerals.bound(metric.lower)} to {numerals.bound(metric.upper)}"),
        Cell("scored samples" if metric.over == "scored" else "all samples"),
        Cell(metric.description or numerals.UNDEFINED, tone="wide" if metric.description else ""),
    )
    return Row("", cells)


def _shown(board: Board, example: Example) -> dict[str, str | Link]:
    """Return what the page says of the example."""
    interval = example.estimate.interval
    assert interval is not None
    return {
        "method": Link(example.entry.report.method.title, method_path(board, example.entry.method)),
        "metric": example.metric.title,
        "n": numerals.count(example.estimate.n),
        "lower": numerals.exact(interval.lower),
        "upper": numerals.exact(interval.upper),
        "estimate": numerals.exact(example.estimate.value),
        "data": f"{board.benchmark.id}/{DATA}",
        "name": DATA,
    }


def _example(board: Board) -> Example | None:
    """Return the first published interval of a plain mean, the primary metric first."""
    ordered = sorted(board.benchmark.metrics, key=lambda metric: metric.id != board.benchmark.primary)
    for metric in ordered:
        for entry in board.entries:
            estimate = entry.estimates.get(metric.id)
            if estimate is not None and estimate.value is not None and estimate.interval is not None:
                strata = _strata(board, entry, metric.id)
                drawn = [value for stratum in strata for value in stratum]
                if drawn and math.fsum(drawn) / len(drawn) == estimate.value:
                    return Example(entry, metric, estimate, strata)
    return None


def _strata(board: Board, entry: Entry, metric: str) -> tuple[tuple[float, ...], ...]:
    """Return the values of a metric by stratum, in the order in which they are drawn; empty unless it is one number."""
    column = entry.report.columns.get(metric)
    if column is None or column.statistics.shape[1] != 1:
        return ()
    stratum_of = dict(zip(board.benchmark.samples.ids, board.benchmark.samples.strata, strict=True))
    strata: dict[str, list[float]] = {}
    for sample, row in sorted((sample, row) for row, sample in enumerate(entry.report.ids) if column.defined[row]):
        strata.setdefault(stratum_of[sample], []).append(float(column.statistics[row, 0]))
    return tuple(tuple(strata[name]) for name in sorted(strata))


def _data(board: Board, example: Example) -> bytes:
    bootstrap = board.benchmark.bootstrap
    data = {
        "benchmark": board.benchmark.id,
        "method": example.entry.method,
        "metric": example.metric.id,
        "resamples": bootstrap.resamples,
        "seed": bootstrap.seed,
        "confidence": bootstrap.confidence,
        "strata": example.strata,
    }
    return (json.dumps(data, ensure_ascii=True, allow_nan=False) + "\n").encode("ascii")


PAGE = PageType("computation", "How a board's numbers are computed, with a program that repeats one.", documents)
