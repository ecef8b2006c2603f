"""The runs of a TextInsight summary, one by one, and the configurations that they were made under."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tallystick.digest import sha256, spaced_ascii
from tallystick.model import Status
from tallystick.protocols._textinsight_scoring import PROFILES
from tallystick.strict import Node, describe, pointer
from tallystick.strict.moments import instant

STATUSES: dict[str, Status] = {
    "scored": "scored",
    "unresolved": "unresolved",
    "abstained": "abstained",
    "pending_review": "pending",
    "no_valid_submission": "invalid",
}
BINDING = ("submission_sha256", "score_sha256", "scoring_protocol")
REVIEWED = ("scored", "unresolved")
_REMEDY = "Summarise the runs again; a summary is not edited by hand."


@dataclass(frozen=True, slots=True)
class AgentRun:
    """One agent's run of one task; `at` is its JSON pointer."""

    at: str
    agent: str
    task: str
    status: Status
    valid: bool
    quality: float | None
    configuration: str
    completed: datetime | None
    value: Mapping[str, Any]


def read_run(node: Node) -> AgentRun:
    """Read one entry of `runs`; what is wrong with it is noted in the node's problems."""
    task = node.text("/task_id")
    agent = node.text("/agent")
    word = node.text("/evaluation_status")
    valid = node.flag("/submission_valid")
    if node.has("/evaluation_status") and word not in STATUSES:
        expected = f"{agent}, {task}: one of {', '.join(STATUSES)}"
        node.refuse("/evaluation_status", "status-unknown", expected, describe(word), _REMEDY)
    elif valid != (word != "no_valid_submission"):
        expected = f"{agent}, {task}: submission_valid {'true' if not valid else 'false'}, as it is {word}"
        node.refuse("/submission_valid", "status-inconsistent", expected, describe(valid), _REMEDY)
    _digest(node, "/corpus_sha256", f"{agent}, {task}")
    node.whole("/n_documents")
    if valid:
        _digest(node, "/submission_sha256", f"{agent}, {task}")
        if word in REVIEWED:
            _digest(node, "/score_sha256", f"{agent}, {task}")
            _scoring(node, f"{agent}, {task}")
    elif bound := [key for key in BINDING if node.get(f"/{key}") is not None]:
        expected = f"{agent}, {task}: no {bound[0]}, as there is no valid submission"
        node.refuse(f"/{bound[0]}", "review-unexpected", expected, describe(node.get(f"/{bound[0]}")), _REMEDY)
    node.maybe("/termination_reason", node.text)
    return AgentRun(
        at=node.at,
        agent=agent,
        task=task,
        status=STATUSES.get(word, "invalid"),
        valid=valid,
        quality=_quality(node, f"{agent}, {task}", word),
        configuration=node.text("/configuration_sha256"),
        completed=_moment(node),
        value=node.value,
    )


def _quality(node: Node, name: str, word: str) -> float | None:
    if not node.has("/quality"):
        node.refuse("/quality", "field-absent", f"{name}: a number or null", "nothing", "Add the field.")
    quality = node.maybe("/quality", node.number)
    if (quality is None) == (word == "scored"):
        expected = f"{name} is {word} and must have quality {'0..100' if word == 'scored' else 'null'}"
        code = "quality-absent" if quality is None else "quality-unexpected"
        node.refuse("/quality", code, expected, describe(quality), _REMEDY)
    elif quality is not None and not 0 <= quality <= 100:
        node.refuse("/quality", "value-out-of-range", f"{name}: quality in 0..100", f"quality {quality!r}", _REMEDY)
    return quality


def _digest(node: Node, at: str, name: str) -> None:
    value = node.text(at)
    if node.has(at) and (len(value) != 64 or set(value) - set("0123456789abcdef")):
        field = at.removeprefix("/")
        node.refuse(at, "digest-malformed", f"{name}: {field}, a SHA-256 in hexadecimal", describe(value), _REMEDY)


def _scoring(node: Node, name: str) -> None:
    version = node.text("/scoring_protocol")
    if node.has("/scoring_protocol") and version not in PROFILES:
        expected = f"{name}: scoring_protocol one of {', '.join(PROFILES)}"
        node.refuse("/scoring_protocol", "scoring-version", expected, describe(version), "Score it again.")


def _moment(node: Node) -> datetime | None:
    written = node.maybe("/completed_at", node.text)
    if written is None:
        return None
    try:
        finished = instant(written)
    except ValueError:
        node.refuse("/completed_at", "date-malformed", "an ISO 8601 date and time", describe(written), _REMEDY)
        return None
    return finished if finished.tzinfo else finished.replace(tzinfo=UTC)


def check_agents(node: Node, runs: Sequence[AgentRun]) -> None:
    """Note agents that are described, summarised or run, but not all three."""
    described = set(node.mapping("/agents"))
    for where, found in (("/summary", set(node.mapping("/summary"))), ("/runs", {run.agent for run in runs})):
        if found != described:
            expected = f"exactly the agents {', '.join(sorted(described))}"
            node.refuse(where, "agents", expected, ", ".join(sorted(found)) or "none", _REMEDY)


def check_digests(node: Node, runs: Sequence[AgentRun]) -> None:
    """Note a submission or a score that is said to be of two tasks: both name their task."""
    first: dict[tuple[str, str], AgentRun] = {}
    for run in runs:
        for field in BINDING[:2] if run.valid else ():
            other = first.setdefault((field, str(run.value.get(field))), run)
            if other.task != run.task and field in run.value:
                expected = f"{run.agent}, {run.task}: {field} of its own, as it names its task"
                found = f"that of {other.agent}, {other.task}"
                node.refuse(f"{run.at}/{field}", "review-stale", expected, found, _REMEDY)


def configurations_of(node: Node, runs: Sequence[AgentRun]) -> Mapping[str, Node]:
    """Return the configurations of an agent's runs by digest, each recomputed from its content."""
    known = node.mapping("/configurations")
    used: dict[str, Node] = {}
    for run in runs:
        if run.configuration in used:
            continue
        if run.configuration not in known:
            where = f"{run.at}/configuration_sha256"
            expected = f"{run.agent}, {run.task}: a configuration of this file"
            node.refuse(where, "configuration-unknown", expected, describe(run.configuration), _REMEDY)
            continue
        at = pointer(("configurations", run.configuration))
        child = used[run.configuration] = node.child(at)
        _recomputed(node, at, run.configuration, "configuration_sha256")
        evaluator = child.text("/evaluator_files_sha256")
        if evaluator not in node.mapping("/evaluator_file_sets"):
            expected = "a set of evaluator files of this file"
            child.refuse("/evaluator_files_sha256", "evaluator-unknown", expected, describe(evaluator), _REMEDY)
    for evaluator in node.mapping("/evaluator_file_sets"):
        _recomputed(node, pointer(("evaluator_file_sets", evaluator)), evaluator, "evaluator_files_sha256")
    return used


def _recomputed(node: Node, at: str, stated: str, field: str) -> None:
    found = sha256(spaced_ascii(node.get(at)))
    if found != stated:
        node.refuse(at, "digest-mismatch", f"{field} {found}, the digest of its content", stated, _REMEDY)
