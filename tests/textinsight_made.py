"""Made-up TextInsight reports and run summaries: valid ones, with every status, written as the seed writes them.

Scores and means are computed here once more, in the plainest way, so that a report that the program admits was not
made by the program.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tallystick.model import Benchmark, Blob, BootstrapSettings, Metric, PinnedFingerprint, SampleSet

VERSION = "finding-quality-discovery-evidence"
BENCHMARK_VERSION = "made-up 1"
REVIEWER = "https://judge.example / judge-1"
KINDS = ("group_difference", "temporal_change", "compound_association")
SOURCES = ("letters", "diaries")


def digest(text: str) -> str:
    """Return some SHA-256 for a name."""
    return hashlib.sha256(text.encode()).hexdigest()


def compact(value: object) -> str:
    """Return the digest that binds tasks and submissions."""
    return digest(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False))


def references(rows: Sequence[Mapping[str, Any]], file: bytes) -> str:
    """Return the hash that says that no task of a `tasks.json` has a reference."""
    return compact(
        {
            "benchmark_version": BENCHMARK_VERSION,
            "tasks_sha256": hashlib.sha256(file).hexdigest(),
            "reference_policy": "none",
            "tasks": [{"task_id": row["task_id"], "reference_id": None} for row in rows],
        }
    )


def tasks() -> list[dict[str, Any]]:
    """Return eight tasks whose order is not that of their names."""
    names = ("umbra", "alto", "terra", "bravo", "solis", "cosmo", "roma", "delta")
    return [
        {
            "task_id": name,
            "source": SOURCES[index % 2],
            "kind": KINDS[min(index // 2, 2)],
            "difficulty": "discovery",
            "max_findings": 3,
            "n_documents": 150 + index,
            "corpus_sha256": digest(f"corpus {name}"),
        }
        for index, name in enumerate(names)
    ]


def tasks_file() -> bytes:
    """Return `tasks.json`."""
    return json.dumps(tasks(), indent=1).encode()


def benchmark(fingerprint: PinnedFingerprint | None = None, content: bytes | None = None) -> Benchmark:
    """Return a board over a `tasks.json`, by default the made-up one."""
    raw = tasks_file() if content is None else content
    rows = sorted(enumerate(json.loads(raw)), key=lambda pair: pair[1]["task_id"])
    samples = SampleSet(
        ids=tuple(row["task_id"] for _, row in rows),
        axes={axis: tuple(row[axis] for _, row in rows) for axis in ("source", "kind")},
        strata=tuple(row["kind"] for _, row in rows),
        clusters=None,
        rows=tuple(row for _, row in rows),
        digest=hashlib.sha256(raw).hexdigest(),
        path="tasks.json",
        positions=tuple(index for index, _ in rows),
    )
    return Benchmark(
        id="insight",
        title="Insight",
        description="",
        protocol="textinsight",
        fingerprint=fingerprint or PinnedFingerprint(None, None, None, None),
        samples=samples,
        axes=("source", "kind"),
        stratum="kind",
        cluster=None,
        metrics=(
            Metric("quality", "Quality", "mean", {"value": "quality"}, upper=100.0),
            Metric("reference_coverage", "Coverage", "mean", {"value": "reference_coverage"}),
        ),
        primary="quality",
        comparisons=(),
        bootstrap=BootstrapSettings(),
        diagnostic=None,
        created=None,
        supplements={},
        options={},
    )


def blob(document: object, path: str = "reports/made/report.json") -> Blob:
    """Return a document as a file."""
    content = document if isinstance(document, bytes) else json.dumps(document).encode()
    return Blob(path, hashlib.sha256(content).hexdigest(), content)


# --- findings ---------------------------------------------------------------------------------------------------------


def condition(name: str = "broken", **counts: int) -> dict[str, Any]:
    """Return the counts of a condition that no gate objects to, but for those given."""
    plain = {
        "checked": 100,
        "known_compared": 90,
        "disagreements": 5,
        "claimed_positive_checked": 40,
        "positive_contradictions": 3,
        "checker_unknown": 10,
    }
    return {"condition_id": name, **plain, **counts}


def gate(cap: str, *conditions: Mapping[str, Any], supporting: Sequence[int] = (4, 4, 0)) -> dict[str, Any]:
    """Return an evidence gate that says `cap`."""
    return {
        "support_cap": cap,
        "conditions": list(conditions) or [condition()],
        "supporting_documents": supporting[0],
        "blind_supported_documents": supporting[1],
        "blind_contradicted_documents": supporting[2],
        "interpretation": "Sampled agreement.",
    }


FACTOR = {"supported": 1, "partial": 0.5, "unsupported": 0}


def finding(
    name: str = "f1",
    support: str = "supported",
    effective: str | None = None,
    values: Sequence[float] = (0.8, 0.9, 0.75, 0.8),
    fulfilled: bool = True,
    duplicate_of: str | None = None,
    evidence: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a finding with the score that it earns."""
    final = effective or support
    if not fulfilled or duplicate_of is not None:
        score: float | None = 0.0
    elif final == "uncertain":
        score = None
    else:
        s, e, d, c = values
        score = FACTOR[final] * (15 + 25 * s + 20 * e + 30 * d + 10 * c)
    return {
        "finding_id": name,
        "score": score,
        "support": support,
        "task_fulfilled": fulfilled,
        "statistical_validity": values[0],
        "evidence_entailment": values[1],
        "analytical_depth": values[2],
        "calibration": values[3],
        "duplicate_of": duplicate_of,
        "reference_match": None,
        "rationale": "Because.",
        "effective_support": final,
        "evidence_gate": evidence or gate("supported"),
    }


FINDINGS: dict[str, list[dict[str, Any]]] = {
    "umbra": [finding(), finding("f2", support="partial", values=(0.5, 0.5, 0.25, 1))],
    "alto": [
        finding(
            support="supported",
            effective="partial",
            evidence=gate("partial", condition(disagreements=10, known_compared=90)),
        )
    ],
    "terra": [
        finding(values=(1, 1, 1, 1)),
        finding("f2", duplicate_of="f1"),
        finding("f3", fulfilled=False, support="uncertain"),
    ],
    "bravo": [finding(), finding("f2", effective="uncertain", evidence=gate("uncertain", supporting=(4, 2, 1)))],
    "roma": [
        finding(
            effective="unsupported",
            evidence=gate(
                "unsupported",
                condition(),
                condition("late", claimed_positive_checked=6, positive_contradictions=3),
                supporting=(4, 3, 1),
            ),
        )
    ],
}
STATUSES = {"solis": "abstained", "cosmo": "pending_review", "delta": "invalid"}


# --- the report -------------------------------------------------------------------------------------------------------


def record(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return a task's record."""
    name = task["task_id"]
    if name in STATUSES:
        plain = {"task_id": name, "quality": None, "reference_coverage": None, "status": STATUSES[name]}
        return plain | ({"error": "no findings\nand no reason"} if STATUSES[name] == "invalid" else {})
    found = copy.deepcopy(FINDINGS[name])
    scores = [item["score"] for item in found]
    resolved = None not in scores
    return {
        "task_id": name,
        "submission_sha256": digest(f"submission {name}"),
        "corpus_sha256": task["corpus_sha256"],
        "reference_sha256": references(tasks(), tasks_file()),
        "scoring_version": VERSION,
        "task_sha256": compact(task),
        "status": "scored" if resolved else "unresolved",
        "findings": found,
        "quality": sum(scores) / len(scores) if resolved else None,
        "reference_coverage": None,
        "reviewer_method": REVIEWER,
    }


def block(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the aggregate of some records, summed in their order."""
    total = len(records)
    qualities = [item["quality"] for item in records if item["quality"] is not None]
    mean = sum(qualities) / len(qualities) if qualities else None
    coverages = [item["reference_coverage"] for item in records if item["reference_coverage"] is not None]
    count: Callable[..., int] = lambda *words: sum(item["status"] in words for item in records)  # noqa: E731
    return {
        "tasks": total,
        "scored_tasks": len(qualities),
        "quality_mean": mean if len(qualities) == total else None,
        "conditional_quality_mean": mean,
        "reference_coverage_mean": sum(coverages) / total if len(coverages) == total else None,
        "valid_submission_rate": (total - count("missing", "invalid")) / total,
        "abstention_rate": count("abstained") / total,
        "pending_tasks": count("pending_review", "unresolved"),
        "missing_tasks": count("missing"),
        "invalid_tasks": count("invalid"),
    }


def report() -> dict[str, Any]:
    """Return an evaluation report that holds everything a report may hold, and no fault."""
    rows = tasks()
    return report_of(rows, [record(row) for row in rows], tasks_file())


def report_of(rows: Sequence[Mapping[str, Any]], records: Sequence[Mapping[str, Any]], file: bytes) -> dict[str, Any]:
    """Return the evaluation report of some records; `file` is the `tasks.json` of their tasks."""

    def by(axis: str) -> dict[str, Any]:
        members: dict[str, list[Mapping[str, Any]]] = {}
        for row, item in zip(rows, records, strict=True):
            members.setdefault(row[axis], []).append(item)
        return {value: block(found) for value, found in members.items()}

    tasks_digest = hashlib.sha256(file).hexdigest()
    return {
        **block(records),
        "by_kind": by("kind"),
        "by_source": by("source"),
        "task_scores": list(records),
        "difficulty": "discovery",
        "scoring_version": VERSION,
        "benchmark_version": BENCHMARK_VERSION,
        "tasks_sha256": tasks_digest,
        "reference_sha256": references(rows, file),
        "reviewer_methods": [REVIEWER],
        "run": {
            "tasks_sha256": tasks_digest,
            "command": ["agent", "--fast"],
            "track": "task_only",
            "timeout_seconds": 900,
            "task_id": None,
            "limit": None,
            "difficulty": "discovery",
            "effective_tasks_sha256": compact(rows),
        },
    }


# --- the run summary --------------------------------------------------------------------------------------------------


def spaced(value: object) -> str:
    """Return the digest that names configurations."""
    return digest(json.dumps(value, sort_keys=True))


QUALITIES: dict[str, list[float | str]] = {
    "first": [83.5, 0, 12.25, "unresolved", "no_valid_submission", 47.125, 33.3, "no_valid_submission"],
    "second": ["no_valid_submission", 20.1, 30.2, 0, 50.3, "unresolved", "unresolved", 70.7],
}


def run(agent: str, index: int, task: Mapping[str, Any], configuration: str) -> dict[str, Any]:
    """Return one run of an agent."""
    outcome = QUALITIES[agent][index]
    status = outcome if isinstance(outcome, str) else "scored"
    valid = status != "no_valid_submission"
    bound = {
        "score_sha256": digest(f"score {agent} {index}"),
        "submission_sha256": digest(f"submission {agent} {index}"),
        "scoring_protocol": VERSION,
    }
    return {
        "job_id": f"{agent}/{index:02}",
        "agent": agent,
        "task_id": task["task_id"],
        "n_documents": task["n_documents"],
        "native_status": "finished",
        "termination_reason": None,
        "submission_valid": valid,
        "completed_at": f"2026-03-0{index + 1}T10:00:00+00:00",
        "configuration_sha256": configuration,
        "evaluation_status": status,
        "quality": None if isinstance(outcome, str) else outcome,
        "corpus_sha256": task["corpus_sha256"],
    } | (bound if valid else {})


def summary(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the summary of some runs, summed in their order."""
    qualities = [item["quality"] for item in runs if item["quality"] is not None]
    return {
        "runs": len(runs),
        "valid_submissions": sum(item["submission_valid"] for item in runs),
        "scored": len(qualities),
        "evidence_unresolved": sum(item["evaluation_status"] == "unresolved" for item in runs),
        "no_valid_submission": sum(not item["submission_valid"] for item in runs),
        "quality_mean": None,
        "conditional_quality_mean": sum(qualities) / len(qualities),
        "zero_scores": sum(quality == 0 for quality in qualities),
        "maximum": max(qualities),
    }


def agent_runs() -> dict[str, Any]:
    """Return a summary of two agents' runs, each under two configurations, and no fault."""
    files = {"evaluation.py": digest("evaluation.py"), "core.py": digest("core.py")}
    evaluator = spaced(files)
    settings = [
        {
            "model": "agent-model",
            "judge_model": "judge-1",
            "track": "task_only",
            "wall_seconds": 1200,
            "adapter": adapter,
            "evaluator_files_sha256": evaluator,
        }
        for adapter in ("old", "new")
    ]
    names = [spaced(item) for item in settings]
    by_agent = {
        agent: [run(agent, index, task, names[index % 2]) for index, task in enumerate(tasks())] for agent in QUALITIES
    }
    every = [item for runs in by_agent.values() for item in runs]
    return {
        "benchmark": "Insight",
        "experiment_completed": "2026-03-09",
        "interpretation": "No controlled leaderboard.",
        "tasks_sha256": hashlib.sha256(tasks_file()).hexdigest(),
        "summary": {agent: summary(runs) for agent, runs in by_agent.items()},
        "total": summary(every),
        "agents": {
            agent: {"upstream_url": f"https://code.example/{agent}", "upstream_commit": digest(agent)[:40]}
            for agent in by_agent
        },
        "configurations": dict(zip(names, settings, strict=True)),
        "evaluator_file_sets": {evaluator: files},
        "runs": every,
    }
