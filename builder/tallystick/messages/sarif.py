"""What was found as a SARIF 2.1.0 log."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

from tallystick.errors import Problem
from tallystick.messages import effects
from tallystick.messages.inert import printable
from tallystick.messages.verdicts import LEVELS, Verdict
from tallystick.proposal import Proposal

_LEVELS = {"error": "error", "warning": "warning", "notice": "note"}


def sarif(found: Iterable[Verdict], proposal: Proposal | None = None, _known: int = 0) -> str:
    """Return a log with one result for each problem, and an informational one for each effect of a proposal."""
    results = [_result(problem, verdict.file) for verdict in found for problem in verdict.problems]
    results += list(_proposal(proposal)) if proposal else []
    rules = [{"id": code} for code in sorted({str(result["ruleId"]) for result in results})]
    driver = {"name": "tallystick", "rules": rules}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(log, indent=2) + "\n"


def _result(problem: Problem, file: str) -> dict[str, Any]:
    return _said(problem.code, _LEVELS[LEVELS[problem.effect]], str(problem), file)


def _proposal(proposal: Proposal) -> Iterator[dict[str, Any]]:
    for problem in effects.told(proposal):
        yield _result(problem, problem.where.partition(" ")[0])
    for line in effects.withdrawals(proposal, printable):
        yield {**_said("withdrawal", "none", line, "results"), "kind": "informational"}
    for effect in proposal.effects:
        lines = [f"{effects.effect_title(effect, printable)}:", *effects.effect_lines(effect, printable)]
        file = f"results/{effect.benchmark.id}/{effect.entry.report.path}"
        yield {**_said("effect", "none", "\n".join(lines), file), "kind": "informational"}


def _said(rule: str, level: str, message: str, file: str) -> dict[str, Any]:
    uri = quote(file, errors="replace")
    place = {"artifactLocation": {"uri": uri}, "region": {"startLine": 1}}  # without a line some viewers show nothing
    location = {"physicalLocation": place}
    return {"ruleId": rule, "level": level, "message": {"text": message}, "locations": [location]}
