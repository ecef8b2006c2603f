"""TextInsight's evaluation report, `task_scores` and all that is stated over them, read into a Report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from tallystick.model import Benchmark, Bundle, Fingerprint, Method, Report, Run, Source, Stated
from tallystick.protocols._textinsight_binding import binding_problems, unverified_tasks
from tallystick.protocols._textinsight_judge import beside, judge_settings, notes, provenance
from tallystick.protocols._textinsight_layers import layers, shown_with_ground
from tallystick.protocols._textinsight_records import Record, read_record
from tallystick.protocols._textinsight_scoring import PROFILES, Profile
from tallystick.protocols._textinsight_shown import shown
from tallystick.protocols._textinsight_stated import stated_of_blocks, stated_of_coverage, stated_of_record
from tallystick.protocols._textinsight_tasks import AXES, Tasks, column
from tallystick.strict import Node, json_object

FIELDS = ("scoring_version", "difficulty", "benchmark_version", "reference_sha256", "track", "timeout_seconds")
"""What shapes a score, and so makes up the configuration of the fingerprint; the last two are the run's."""

_NO_JUDGE = "input budget and audit size: the judge's settings are not here"
_FIELD = re.compile(rf"(?:^| )({'|'.join(FIELDS)})=")


def read_report(bundle: Bundle, benchmark: Benchmark) -> Report:
    """Read one evaluation report; raise Refusal where a record cannot be understood."""
    blob = bundle.parts["report"]
    node = Node(json_object(blob.content, blob.path), blob.path)
    tasks = Tasks(benchmark)
    profile = _profile(node)
    records = tuple(read_record(child, profile, tasks) for child in node.children("/task_scores"))
    judge = judge_settings(bundle, node)
    ordered = sorted(records, key=lambda record: tasks.sort_key(record.task))
    stated = _stated(node, records, ordered, tasks, profile)
    fingerprint = _fingerprint(node)
    node.settle()
    origin = provenance(node, judge)
    beneath = layers(bundle, benchmark, ordered, profile, judge)
    ids = tuple(record.task for record in ordered)
    partial = node.get("/run/limit") is not None or node.get("/run/task_id") is not None
    return Report(
        method=_method(blob.path),
        protocol="textinsight",
        fingerprint=fingerprint,
        sources=(Source(blob.path, blob.digest, len(blob.content)),),
        scores_digest=blob.digest,
        run=Run(finished=None, complete=not partial, partial=partial, demo=False),
        ids=ids,
        statuses=tuple(record.status for record in ordered),
        columns={
            "quality": column(record.quality for record in ordered),
            "reference_coverage": column(record.coverage if record.status == "scored" else None for record in ordered),
        },
        axes={axis: tasks.axis(axis, ids) for axis in AXES},
        stated=(*stated, *beneath.stated),
        provenance=origin,
        problems=(*binding_problems(node, records, tasks, profile), *beneath.problems),
        unverified=(
            *beneath.unverified,
            *unverified_tasks(records, tasks, profile),
            *(() if judge else (_NO_JUDGE,)),
        ),
        records={record.task: shown_with_ground(shown(record), beneath.tasks.get(record.task)) for record in ordered},
        depth=beneath.depth,
        beside=beside(origin),
        notes=notes(record.coverage for record in records),
    )


def configuration_fields(configuration: str) -> dict[str, str]:
    """Return the fields of a fingerprint's configuration; nothing where it has another form."""
    parts = _FIELD.split(configuration)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _method(path: str) -> Method:
    """Name the method after its file, or after the folder of a `report.json`: the format names none."""
    file = PurePosixPath(path)
    name = file.parent.name if file.stem == "report" and file.parent.name else file.stem
    return Method(name, name)


def _profile(node: Node) -> Profile:
    """Return the profile of the report's scoring version, or of its records' where it names none that is known."""
    for version in (node.text("/scoring_version"), node.get("/task_scores/0/scoring_version")):
        if version in PROFILES:
            return PROFILES[version]
    return PROFILES["finding-quality-discovery-evidence"]


def _fingerprint(node: Node) -> Fingerprint:
    """Take the list of tasks as benchmark, all that shapes a score as configuration, the reviewer as implementation.

    The corpora have no hash of their own: each is pinned by its digest inside `tasks.json`.
    """
    told = {key: node.text(f"/{key}") for key in FIELDS[:-2]}
    told["track"] = str(node.maybe("/run/track", node.text))
    told["timeout_seconds"] = str(node.maybe("/run/timeout_seconds", node.number))
    return Fingerprint(
        benchmark=node.text("/tasks_sha256"),
        corpus=None,
        configuration=" ".join(f"{key}={value}" for key, value in told.items()),
        implementation=" + ".join(node.texts("/reviewer_methods")) or None,
    )


def _stated(
    node: Node, records: Sequence[Record], ordered: Sequence[Record], tasks: Tasks, profile: Profile
) -> tuple[Stated, ...]:
    """Return every stated number; those over all tasks only where the report accounts for exactly these."""
    of_records = [number for record in records for number in stated_of_record(record, profile, node.where)]
    over_all = [*stated_of_coverage(records, node.where), *stated_of_blocks(node, ordered, tasks)]
    return (*of_records, *(over_all if tasks.complete(record.task for record in records) else ()))
