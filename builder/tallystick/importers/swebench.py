"""SWE-bench: harness run reports, the experiments layout, per-instance details, and the long table."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from tallystick.errors import Problem
from tallystick.imported import (
    Difference,
    ImportedMetric,
    ImportedRun,
    ImportedSample,
    ImportedStatement,
    Importer,
    ImportOptions,
    Recognised,
)
from tallystick.importers._swebench_shapes import (
    axes,
    instances,
    of_details,
    of_experiments,
    of_row,
    of_run_report,
    recognises,
)
from tallystick.importers._values import method, settle
from tallystick.logs import LogFile, table
from tallystick.model import Fingerprint

_METRICS = {
    "resolved": ImportedMetric("resolved", "Resolved", binary=True, description="The instance's tests pass."),
    "cost": ImportedMetric("cost", "Cost, US$", "lower", 0.0, None, description="As the system itself reports it."),
    "api_calls": ImportedMetric("api_calls", "Calls", "lower", 0.0, None, description="Calls of the model."),
}
_NOT_SCORED = "swebench-failures-counted"


def _read(files: tuple[Recognised, ...], options: ImportOptions) -> tuple[ImportedRun, ...]:
    problems: list[Problem] = []
    listed = [instances(file, problems) for file in files if file.role == "instances"]
    universe = set().union(*listed) if listed else set(options.known or ())
    metadata = {file.file.path.parent: file.file for file in files if file.role == "metadata"}
    runs: list[ImportedRun] = []
    details: dict[Path, list[Recognised]] = defaultdict(list)
    for file in files:
        if file.role == "table":
            runs += _of_table(file.file, options, problems)
        elif file.role == "details":
            above = file.file.path.parent
            details[above if len(file.file.head) > 1 else above.parent].append(file)
        elif file.role == "run_report":
            runs.append(_of_run_report(file.file, universe, options, problems))
        elif file.role == "experiments":
            runs.append(_of_experiments(file.file, universe, options, problems))
    for folder, members in sorted(details.items()):
        runs.append(_of_details(folder, members, metadata.get(folder), universe, options, problems))
    settle(problems)
    return tuple(runs)


def _of_table(file: LogFile, options: ImportOptions, problems: list[Problem]) -> list[ImportedRun]:
    samples: dict[tuple[str, str], list[ImportedSample]] = defaultdict(list)
    for where, row in table(file):
        samples[row["system_folder"], row.get("system_name") or row["system_folder"]].append(
            of_row(row, where, problems)
        )
    return [_run(folder, title, rows, (file,), options) for (folder, title), rows in sorted(samples.items())]


def _of_details(
    folder: Path,
    members: list[Recognised],
    metadata: LogFile | None,
    universe: set[str],
    options: ImportOptions,
    problems: list[Problem],
) -> ImportedRun:
    samples = [sample for file in members for sample in of_details(file.file, problems)]
    facts = metadata.head if metadata else {}
    name = str(facts.get("folder") or folder.name)
    stated: tuple[ImportedStatement, ...] = ()
    share = facts.get("resolved")
    if metadata and isinstance(share, int | float) and not isinstance(share, bool):
        stated = (ImportedStatement(f"{metadata.name} /resolved", "resolved", share / 100),)
    sources = (*(file.file for file in members), *((metadata,) if metadata else ()))
    return _run(name, str(facts.get("name") or name), samples + _unseen(samples, universe), sources, options, stated)


def _of_run_report(file: LogFile, universe: set[str], options: ImportOptions, problems: list[Problem]) -> ImportedRun:
    samples = of_run_report(file, problems)
    samples += _unseen(samples, universe)
    name = file.stem.rpartition(".")[0] or file.stem  # <model>.<run id>.json: the report holds no name of its own
    total = file.head["total_instances"]
    differences = []
    if isinstance(total, int) and len(samples) < total:
        reason = f"{total - len(samples)} of {total} instances stand in no list, so that nothing tells which they are"
        differences.append(Difference("swebench-instances-unlisted", reason))
    if any(sample.status != "scored" for sample in samples):
        reason = "the resolved rate counts errors, empty patches and missing instances as failures; here they are not"
        differences.append(Difference(_NOT_SCORED, reason))
    under = differences[-1].name if differences else None
    stated = [ImportedStatement(f"{file.name} /total_instances", "resolved", total, "count", under=under)]
    resolved = file.head.get("resolved_instances")
    if isinstance(resolved, int) and isinstance(total, int) and total:
        place = f"{file.name} /resolved_instances"
        stated.append(ImportedStatement(place, "resolved", resolved / total, under=under))
    return _run(name.replace("__", "/"), None, samples, (file,), options, tuple(stated), tuple(differences))


def _of_experiments(file: LogFile, universe: set[str], options: ImportOptions, problems: list[Problem]) -> ImportedRun:
    if not universe:
        remedy = "Give the list of the split's instances too (a JSON array of ids, or the dataset as JSON Lines)."
        problems.append(Problem("instances-unknown", file.name, "a list of all instances", "only successes", remedy))
    name = next(part for part in reversed(file.path.parent.parts) if part != "results")
    strangers = {str(item) for item in file.head["resolved"]} - universe
    if universe and strangers:
        remedy = "Give the list of the same split."
        problems.append(Problem("sample-unknown", file.name, "instances of the list", sorted(strangers)[0], remedy))
    return _run(name, None, of_experiments(file.head, universe), (file,), options)


def _unseen(samples: list[ImportedSample], universe: set[str]) -> list[ImportedSample]:
    absent = sorted(universe - {sample.id for sample in samples})
    return [ImportedSample(name, "missing", {}, axes(name)) for name in absent]


def _run(
    name: str,
    title: str | None,
    samples: list[ImportedSample],
    sources: tuple[LogFile, ...],
    options: ImportOptions,
    stated: tuple[ImportedStatement, ...] = (),
    differences: tuple[Difference, ...] = (),
) -> ImportedRun:
    scored = [sample for sample in samples if sample.status == "scored"]
    held = [key for key in _METRICS if any(key in sample.values for sample in scored)] or ["resolved"]
    kept = [
        ImportedSample(
            sample.id, sample.status, {key: sample.values[key] for key in held if key in sample.values}, sample.axes
        )
        for sample in samples
    ]
    return ImportedRun(
        format="swebench",
        method=method(options, name, title=title),
        benchmark="swe-bench",
        title="SWE-bench",
        metrics=tuple(_METRICS[key] for key in held),
        samples=tuple(kept),
        fingerprint=Fingerprint(None, None, None, None),
        sources=sources,
        stated=stated,
        differences=differences,
        unproven=(
            "which version of the dataset was run: the files hold ids and no hash",
            "that the tests ran: patches and test logs are not looked at",
            "the name of the system: it stands in a folder's or file's name only",
        ),
    )


IMPORTER = Importer("swebench", "SWE-bench results", recognises, _read)
