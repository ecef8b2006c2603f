"""TextInsight: its evaluation report with findings and evidence gates, and its summary of agents' runs.

Its older profiles are read too; being other scoring versions, they never share a board. What reads them is imported
when it is needed: every board asks each protocol what it recognises, and few boards are of this one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from tallystick.errors import Problem
from tallystick.model import Benchmark, Blob, Bundle, Protocol, Report, Unread
from tallystick.protocols._textinsight_tasks import AXES
from tallystick.strict import describe, json_object
from tallystick.strict.paths import matches

_JUDGE = "judge_config.json"
GLOBS = ("**/report.json", "**/agent-runs.json", "reports/*.json")


def recognises(document: Mapping[str, Any]) -> bool:
    """Say whether this is an evaluation report or a summary of runs, by the fields that declare it."""
    return _is_report(document) or _is_runs(document)


def _is_report(document: Mapping[str, Any]) -> bool:
    return "task_scores" in document and not document.keys().isdisjoint({"tasks_sha256", "scoring_version"})


def _is_runs(document: Mapping[str, Any]) -> bool:
    return {"runs", "agents", "configurations"} <= document.keys()


def assemble(files: tuple[Blob, ...], benchmark: Benchmark) -> tuple[tuple[Bundle, ...], tuple[Unread, ...]]:
    """Return one bundle for each report and for each agent of a summary of runs.

    What lies in a report's folder belongs to it until its content says otherwise.
    """
    from tallystick.protocols._textinsight_layers import foreign_corpora, parts_beneath
    from tallystick.protocols._textinsight_runs import agents

    bundles: list[Bundle] = []
    unread: list[Unread] = []
    by_path = {blob.path: blob for blob in files}
    for blob in files:
        if not matches(blob.path, GLOBS):
            continue
        document = json_object(blob.content, blob.path)
        if _is_runs(document):
            bundles += [Bundle(blob.path, {"report": blob}, member=agent) for agent in agents(document)]
            unread += () if agents(document) else (_without_agents(blob.path, document),)
        else:
            parts = {"report": blob}
            if judge := by_path.get(str(PurePosixPath(blob.path).with_name(_JUDGE))):
                parts["judge_config"] = judge
            bundles.append(Bundle(blob.path, parts | parts_beneath(blob, by_path, benchmark)))
    return tuple(bundles), (*unread, *foreign_corpora(by_path, benchmark))


def _without_agents(path: str, document: Mapping[str, Any]) -> Unread:
    remedy = "Summarise the runs again; a summary is not edited by hand."
    found = describe(document["agents"])
    return Unread(path, None, (Problem("agents", f"{path} /agents", "an object with the agents", found, remedy),))


def read(bundle: Bundle, benchmark: Benchmark) -> Report:
    """Read a report, or one agent of a summary of runs."""
    from tallystick.protocols._textinsight_report import read_report
    from tallystick.protocols._textinsight_runs import read_runs

    return read_report(bundle, benchmark) if bundle.member is None else read_runs(bundle, benchmark)


def check(report: Report, benchmark: Benchmark, peers: tuple[Report, ...]) -> tuple[Problem, ...]:
    """Name the fields by which the configuration of an evaluation report is not the board's."""
    from tallystick.protocols._textinsight_report import configuration_fields

    pinned, found = benchmark.fingerprint.configuration, report.fingerprint.configuration
    if not isinstance(pinned, str) or found is None or pinned == found:
        return ()
    remedy = "Scores of another protocol, benchmark version or set of references belong on a board of their own."
    expected = configuration_fields(pinned)
    return tuple(
        Problem(
            "configuration-field", f"{report.path} /{field}", f"{field} {expected[field]}", f"{field} {value}", remedy
        )
        for field, value in configuration_fields(found).items()
        if field in expected and value != expected[field]
    )


PROTOCOL = Protocol(
    id="textinsight",
    title="TextInsight",
    globs=GLOBS,
    recognises=recognises,
    assemble=assemble,
    read=read,
    check=check,
    defaults={
        "samples": {"path": "tasks.json", "id": "task_id"},
        "axes": list(AXES),
        "stratum": "kind",
        "metrics": [
            {
                "id": "quality",
                "title": "Quality",
                "upper": 100.0,
                "description": "Mean over the findings of a task of factor × (base + 25·S + 20·E + depth·D + 10·C).",
            },
            {
                "id": "reference_coverage",
                "title": "Reference coverage",
                "description": "Whether a supported finding matches a reference; undefined where tasks have none.",
            },
        ],
        "primary": "quality",
        "options": {"sample_title": "question"},
    },
)
