"""Write a board's table as the plain values that are frozen: exact, with the digests of all that they follow from."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from tallystick import numerals
from tallystick.board import Board, Entry, Estimate, Interval, SiteSettings
from tallystick.digest import canonical
from tallystick.model import COMPONENTS, STATUSES, Benchmark, Metric, Varying

FORMAT = "tallystick-frozen/1"
NORMAL_WIDTH = 3.92
"""Width of a 95 % interval in standard errors, where an estimate brings an interval but no standard error."""


def document(
    board: Board, *, settings: str, site: SiteSettings, tool: str, day: date, note: str, previous: str | None
) -> dict[str, Any]:
    """Return what is frozen of a board: its table, and what is needed to repeat and to cite it.

    `settings` is the text of its benchmark.yaml, `previous` the digest of the table of this board frozen before.
    """
    return {
        "format": FORMAT,
        "frozen": day.isoformat(),
        "note": note,
        "previous": previous,
        "settings": settings,
        "site": {"title": site.title, "url": site.base_url},
        "table": table(board),
        "tool": tool,
    }


def same_table(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Say whether two tables are equal to the last bit of every number."""
    return canonical(one) == canonical(other)


def table(board: Board) -> dict[str, Any]:
    """Return a board's table: every number of every method that is shown, and the rules behind them."""
    return {
        "benchmark": _benchmark(board.benchmark),
        "recipe": _recipe(board),
        "metrics": [_metric(metric, board) for metric in board.benchmark.metrics],
        "rows": [_row(entry, board) for entry in board.entries],
    }


def _benchmark(benchmark: Benchmark) -> dict[str, Any]:
    pinned = {name: getattr(benchmark.fingerprint, name) for name in COMPONENTS}
    return {
        "id": benchmark.id,
        "title": benchmark.title,
        "diagnostic": benchmark.diagnostic,
        "protocol": benchmark.protocol,
        "fingerprint": {
            name: {"varies": value.reason} if isinstance(value, Varying) else value for name, value in pinned.items()
        },
        "samples": {
            "path": benchmark.samples.path,
            "sha256": benchmark.samples.digest,
            "count": len(benchmark.samples.ids),
        },
        "supplements": [
            {"path": blob.path, "sha256": blob.digest} for _, blob in sorted(benchmark.supplements.items())
        ],
    }


def _recipe(board: Board) -> dict[str, Any]:
    bootstrap = board.benchmark.bootstrap
    return {
        "resamples": bootstrap.resamples,
        "seed": bootstrap.seed,
        "confidence": bootstrap.confidence,
        "stratum": board.benchmark.stratum,
        "cluster": board.benchmark.cluster,
        "primary": board.benchmark.primary,
        "ranking": board.ranking.sentence if board.ranking and _ranked(board) else "",
    }


def _metric(metric: Metric, board: Board) -> dict[str, Any]:
    found = (entry.estimates.get(metric.id) for entry in board.entries)
    return {
        "id": metric.id,
        "title": metric.title,
        "kind": metric.kind,
        "direction": metric.direction,
        "lower": metric.lower,
        "upper": metric.upper,
        "over": metric.over,
        "decimals": numerals.decimals(_error(estimate) for estimate in found if estimate is not None),
    }


def _error(estimate: Estimate) -> float | None:
    if estimate.standard_error is not None or estimate.interval is None:
        return estimate.standard_error
    return (estimate.interval.upper - estimate.interval.lower) / NORMAL_WIDTH


def _ranked(board: Board) -> bool:
    return bool(board.standings) and board.benchmark.diagnostic is None


def _row(entry: Entry, board: Board) -> dict[str, Any]:
    method, report = entry.report.method, entry.report
    standing = board.standings.get(entry.method) if _ranked(board) else None
    return {
        "method": method.id,
        "title": method.title,
        "kind": method.kind,
        "url": method.url,
        "complete": entry.complete,
        "rank": None
        if standing is None
        else {"lower": standing.lower, "upper": standing.upper, "group": standing.letters},
        "samples": {"total": entry.ledger.total} | {status: entry.ledger.counts.get(status, 0) for status in STATUSES},
        "values": {
            metric.id: _estimate(entry.estimates[metric.id])
            for metric in board.benchmark.metrics
            if metric.id in entry.estimates
        },
        "report": {
            "path": report.path,
            "scores": report.scores_digest,
            "files": [{"path": source.path, "sha256": source.digest} for source in report.sources],
        },
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    cluster = estimate.cluster
    return {
        "value": _real(estimate.value),
        "interval": _ends(estimate.interval),
        "n": estimate.n,
        "total": estimate.total,
        "conditional": estimate.conditional,
        "bounds": _ends(estimate.bounds),
        "standard_error": _real(estimate.standard_error),
        "cluster": None
        if cluster is None
        else {
            "value": _real(cluster.value),
            "interval": _ends(cluster.interval),
            "clusters": cluster.clusters,
            "left_out": cluster.left_out,
        },
        "note": estimate.note,
    }


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [float(interval.lower), float(interval.upper)]


def _real(value: float | None) -> float | None:
    return None if value is None else float(value)
