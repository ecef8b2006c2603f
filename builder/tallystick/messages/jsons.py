"""What was found as one JSON object, and reading such an object again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from tallystick.errors import Problem, UsageError
from tallystick.messages.verdicts import Verdict, beyond, tally
from tallystick.proposal import Effect, Proposal

CHECK_FORMAT = "tallystick-check/1"


def as_json(found: Iterable[Verdict], proposal: Proposal | None = None, _known: int = 0) -> str:
    """Return the verdicts as one JSON object, `tallystick-check/1`, with the proposal where a change was judged."""
    reports = [
        {
            "benchmark": verdict.benchmark,
            "path": verdict.path,
            "method": verdict.method,
            "outcome": verdict.outcome,
            "stated": dict(verdict.stated),
            "problems": [_fields(problem) for problem in verdict.problems],
        }
        for verdict in found
    ]
    document: dict[str, Any] = {"format": CHECK_FORMAT, "reports": reports}
    if proposal is not None:
        document["proposal"] = _proposal(proposal)
    return json.dumps(document, indent=2) + "\n"


def since(found: Iterable[Verdict], known: Path) -> tuple[Verdict, ...]:
    """Keep the verdicts that do not stand in the file `known`, an earlier outcome as JSON, with the same problems.

    Raises UsageError where the file holds no such outcome.
    """
    try:
        earlier = json.loads(known.read_bytes())
        if earlier["format"] != CHECK_FORMAT:
            raise ValueError
        before = [_verdict(item) for item in earlier["reports"]]
    except (OSError, ValueError, KeyError, TypeError):
        expected = f"an outcome as {CHECK_FORMAT}"
        remedy = "Write it with `tallystick check --format json`."
        raise UsageError([Problem("known-unusable", str(known), expected, "none", remedy)]) from None
    return beyond(found, before)


def _verdict(item: dict[str, Any]) -> Verdict:
    problems = tuple(Problem(**problem) for problem in item["problems"])
    return Verdict(item["benchmark"], item["path"], item["method"], item["outcome"], problems, item["stated"])


def _fields(problem: Problem) -> dict[str, str]:
    return {field.name: getattr(problem, field.name) for field in fields(problem)}


def _proposal(proposal: Proposal) -> dict[str, Any]:
    return {
        "ref": proposal.ref,
        "commit": proposal.commit,
        "changes": [asdict(change) for change in proposal.changes],
        "problems": [_fields(problem) for problem in (*proposal.problems, *proposal.unsettled)],
        "withdrawn": [
            {"benchmark": benchmark, "method": item.method, "date": item.day.isoformat(), "reason": item.reason}
            for benchmark, item in proposal.withdrawn
        ],
        "effects": [_effect(effect) for effect in proposal.effects],
    }


def _effect(effect: Effect) -> dict[str, Any]:
    estimate = effect.entry.estimates.get(effect.benchmark.primary)
    return {
        "benchmark": effect.benchmark.id,
        "method": effect.entry.method,
        "outcome": effect.entry.outcome,
        "metric": effect.benchmark.primary,
        "estimate": asdict(estimate) if estimate else None,
        "position": list(effect.position) if effect.position else None,
        "standing": asdict(effect.standing) if effect.standing else None,
        "unranked": effect.unranked,
        "rivals": [{"roles": list(rival.roles), **asdict(rival.comparison)} for rival in effect.rivals],
        "ledger": dict(effect.entry.ledger.counts),
        "stated": tally(effect.entry.reconciliations),
    }
