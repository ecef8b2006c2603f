"""TextInsight's run summary: one file with the runs of several agents, and so with several reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tallystick.digest import compact_unicode, sha256
from tallystick.errors import Problem
from tallystick.model import (
    Benchmark,
    Bundle,
    Computed,
    Fingerprint,
    MeanOfValues,
    Method,
    Quantity,
    Report,
    Run,
    Source,
    Stated,
)
from tallystick.protocols._textinsight_agents import (
    REVIEWED,
    AgentRun,
    check_agents,
    check_digests,
    configurations_of,
    read_run,
)
from tallystick.protocols._textinsight_judge import AUDIT_SIZE, INPUT_BUDGET, JUDGE_MODEL, NOT_STATED, beside, notes
from tallystick.protocols._textinsight_scoring import PROFILES
from tallystick.protocols._textinsight_tasks import AXES, Tasks, check_digest, column, disagreements
from tallystick.strict import Node, json_object, pointer


def agents(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the agents of a summary in the order in which they are described."""
    described = document.get("agents")
    return tuple(described) if isinstance(described, dict) else ()


def read_runs(bundle: Bundle, benchmark: Benchmark) -> Report:
    """Read one agent's runs; raise Refusal where a run cannot be understood."""
    blob = bundle.parts["report"]
    node = Node(json_object(blob.content, blob.path), blob.path)
    tasks = Tasks(benchmark)
    every = tuple(read_run(child) for child in node.children("/runs"))
    agent = bundle.member or ""
    check_agents(node, every)
    check_digests(node, every)
    own = sorted((run for run in every if run.agent == agent), key=lambda run: tasks.sort_key(run.task))
    stated = (
        *_stated(node, pointer(("summary", agent)), own, tasks, "report"),
        *_stated(node, "/total", _agent_by_agent(node, every, tasks), tasks, "all agents"),
    )
    configurations = configurations_of(node, own)
    check_digest(node, "/tasks_sha256", tasks)
    interpretation = node.maybe("/interpretation", node.text)
    described = node.child(pointer(("agents", agent)))
    url = described.maybe("/upstream_url", described.text)
    described.maybe("/upstream_commit", described.text)
    node.settle()
    ids = tuple(run.task for run in own)
    origin = _provenance(node, agent, configurations, interpretation)
    finished = [run.completed for run in own if run.completed is not None]
    return Report(
        method=Method(agent, agent, url, "agent"),
        protocol="textinsight",
        fingerprint=_fingerprint(node, own, configurations),
        sources=(Source(blob.path, blob.digest, len(blob.content)),),
        scores_digest=sha256(compact_unicode([run.value for run in own])),
        run=Run(max(finished, default=None), complete=True, partial=False, demo=False),
        ids=ids,
        statuses=tuple(run.status for run in own),
        columns={"quality": column(run.quality for run in own), "reference_coverage": column(None for _ in own)},
        axes={axis: tasks.axis(axis, ids) for axis in AXES},
        stated=stated,
        provenance=origin,
        problems=(*_binding(node, own, tasks), *_mixed(node, agent, configurations)),
        unverified=(
            "task qualities, which a summary of runs states without their findings",
            "which submissions were missing and which invalid: the summary tells only that none was valid",
            "input budget and audit size, which the summary does not state",
        ),
        records={run.task: _shown(run) for run in own},
        beside=beside(origin),
        notes=notes(None for _ in own),
    )


def _fingerprint(node: Node, runs: Sequence[AgentRun], configurations: Mapping[str, Node]) -> Fingerprint:
    """Take the list of tasks as benchmark, all configurations together as one, the evaluator as implementation."""
    evaluators = sorted({child.text("/evaluator_files_sha256") for child in configurations.values()})
    return Fingerprint(
        benchmark=node.text("/tasks_sha256"),
        corpus=None,
        configuration=sha256(compact_unicode({run.task: run.configuration for run in runs})),
        implementation=" + ".join(evaluators) or None,
    )


def _mixed(node: Node, agent: str, configurations: Mapping[str, Node]) -> Iterator[Problem]:
    if len(configurations) > 1:
        yield Problem(
            "configurations-mixed",
            f"{node.where} /configurations",
            "one configuration for all runs of a method",
            f"{len(configurations)} in the runs of {agent}",
            "Runs whose configurations differ are no controlled comparison: show them on a diagnostic board.",
            "diagnostic",
        )


def _binding(node: Node, runs: Sequence[AgentRun], tasks: Tasks) -> Iterator[Problem]:
    where = f"{node.where} /runs"
    remedy = "Run on the pinned tasks."
    known = [run for run in runs if run.task in tasks.rows]
    for field in ("corpus_sha256", "n_documents"):
        found = {
            run.task: str(run.value[field]) for run in known if run.value[field] != tasks.rows[run.task].get(field)
        }
        yield from disagreements(where, field, f"of the task in {tasks.path}", found, remedy, "run-foreign")
    scored = {run.task: str(run.value["scoring_protocol"]) for run in runs if run.status in REVIEWED}
    strange = {run.task: scored[run.task] for run in known if run.task in scored and not _fits(run, tasks)}
    expected = f"that scores tasks as they are in {tasks.path}"
    yield from disagreements(where, "scoring_protocol", expected, strange, "Score it again.", "scoring-version")
    versions = sorted(set(scored.values()))
    if len(versions) > 1:
        expected = "one scoring version for all runs of a method"
        told = f"scoring_protocol {', '.join(versions)}"
        yield Problem("scoring-version", where, expected, told, "Score them all again.")


def _fits(run: AgentRun, tasks: Tasks) -> bool:
    return tasks.scored_by(run.task, PROFILES[str(run.value["scoring_protocol"])].difficulty)


def _agent_by_agent(node: Node, runs: Sequence[AgentRun], tasks: Tasks) -> Sequence[AgentRun]:
    """Order all runs as the summary sums them."""
    place = {agent: index for index, agent in enumerate(agents(node.value))}
    return sorted(runs, key=lambda run: (place.get(run.agent, len(place)), tasks.sort_key(run.task)))


# --- stated numbers ---------------------------------------------------------------------------------------------------


def _stated(node: Node, at: str, runs: Sequence[AgentRun], tasks: Tasks, group: str) -> Iterator[Stated]:
    block = node.child(at)
    for key, quantity in _quantities(runs).items():
        value: float | None
        if key in ("quality_mean", "conditional_quality_mean", "maximum") and block.has(f"/{key}"):
            value = block.maybe(f"/{key}", block.number)
        else:
            value = block.whole(f"/{key}")
        if tasks.complete({run.task for run in runs}):
            yield Stated(block.place(f"/{key}"), value, quantity, group, f"{key} of {at.rpartition('/')[2]}")


def _quantities(runs: Sequence[AgentRun]) -> Mapping[str, Quantity]:
    qualities = tuple(run.quality for run in runs if run.quality is not None)
    mean: Quantity = MeanOfValues(qualities) if qualities else Computed(None, "undefined without a scored run")
    return {
        "runs": Computed(len(runs), "count"),
        "valid_submissions": Computed(sum(run.valid for run in runs), "count"),
        "scored": Computed(len(qualities), "count"),
        "evidence_unresolved": Computed(sum(run.status == "unresolved" for run in runs), "count"),
        "no_valid_submission": Computed(sum(not run.valid for run in runs), "count"),
        "quality_mean": (
            mean if len(qualities) == len(runs) else Computed(None, "undefined unless every run has a score")
        ),
        "conditional_quality_mean": mean,
        "zero_scores": Computed(sum(quality == 0 for quality in qualities), "count"),
        "maximum": Computed(max(qualities, default=None), "maximum"),
    }


# --- what pages show --------------------------------------------------------------------------------------------------


def _provenance(
    node: Node, agent: str, configurations: Mapping[str, Node], interpretation: str | None
) -> Mapping[str, str]:
    told = {
        "Task list": str(node.get("/tasks_sha256")),
        "Model": _all(configurations, "model"),
        JUDGE_MODEL: _all(configurations, "judge_model"),
        INPUT_BUDGET: NOT_STATED,
        AUDIT_SIZE: NOT_STATED,
        "Track": _all(configurations, "track"),
        "Time limit (seconds)": _all(configurations, "wall_seconds"),
        "Configurations": str(len(configurations)),
        "Evaluator files": _all(configurations, "evaluator_files_sha256"),
        "Upstream commit": str(node.get(pointer(("agents", agent, "upstream_commit")))),
    }
    if interpretation:
        told["Its authors say"] = interpretation
    return told


def _all(configurations: Mapping[str, Node], key: str) -> str:
    return ", ".join(sorted({str(child.get(f"/{key}")) for child in configurations.values()}))


def _shown(run: AgentRun) -> Mapping[str, Any]:
    return {
        "status": run.status,
        "error": str(run.value.get("termination_reason") or ""),
        "quality": run.quality,
        "reference_coverage": None,
        "submission_sha256": run.value.get("submission_sha256"),
        "findings": (),
    }
