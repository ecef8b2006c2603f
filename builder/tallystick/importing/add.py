"""The commands `add` and `new` up to the plan: which logs make which reports on which benchmark."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tallystick.board import File
from tallystick.errors import Problem, Refusal, UsageError
from tallystick.imported import ImportedRun, ImportOptions
from tallystick.importing.first_use import make
from tallystick.importing.making import benchmark_files
from tallystick.importing.naming import named
from tallystick.importing.plan import Plan, Understood
from tallystick.importing.recognise import all_imported, importers, recognise
from tallystick.importing.report import report_of, understood, written
from tallystick.importing.target import Target, existing, fitted
from tallystick.logs import gather
from tallystick.model import COMPONENTS, Varying
from tallystick.schemas import file_name
from tallystick.strict import capped
from tallystick.strict.names import id_problem

_SITE = "content/site.yaml"


def add(
    paths: Sequence[Path],
    root: Path,
    *,
    benchmark_id: str | None = None,
    format_id: str | None = None,
    method: str | None = None,
    options: Mapping[str, str] | None = None,
    varies: Mapping[str, str] | None = None,
    accepts: Sequence[str] = (),
) -> Plan:
    """Plan the reports that the logs below `paths` make, and the benchmarks that they make on first use.

    `varies` gives a reason for each fingerprint component that may differ between methods of a new benchmark, `accepts`
    the known differences that it accepts. Raises Refusal with every problem of the logs, UsageError for a wrong call.
    """
    for given in (benchmark_id, method):
        if given is not None and (problem := id_problem(given, "--method" if given is method else "--benchmark")):
            raise UsageError([problem])
    if wrong := sorted((varies or {}).keys() - set(COMPONENTS)):
        raise UsageError([Problem("option-value", "--varies", ", ".join(COMPONENTS), wrong[0], "Name one of them.")])
    found, ignored = recognise(gather(paths), format_id)
    present = existing(root, benchmark_id) if benchmark_id else None
    chosen = ImportOptions(method, dict(options or {}), frozenset(present.samples) if present else None)
    read, idle = all_imported(found, chosen)
    runs = [named(run) for run in read]
    _options_known(chosen, set(found))
    files: list[File] = []
    told: list[Understood] = []
    made: list[str] = []
    unchanged: list[str] = []
    for name, members in _by_benchmark(runs, benchmark_id).items():
        target = existing(root, name)
        if target is None:
            target = make(name, members, varies or {}, accepts)
            files += benchmark_files(target)
            made.append(name)
        reports, seen, same = _reports(root, members, target)
        files += reports
        told += seen
        unchanged += same
    left = tuple(sorted(file.name for file in (*ignored, *idle)))
    return Plan(root, tuple(files), tuple(told), tuple(made), left, tuple(unchanged))


def new(paths: Sequence[Path], root: Path, *, title: str = "Leaderboard", **settled: object) -> Plan:
    """Plan a board from its first logs: what `add` plans, and the site's settings where there are none.

    Raises UsageError where a benchmark of theirs exists already.
    """
    plan = add(paths, root, **settled)  # type: ignore[arg-type]  # the same keywords as `add`
    if not plan.made:
        names = ", ".join(sorted({item.benchmark for item in plan.understood}))
        remedy = "Use `tallystick add`, or choose another --benchmark."
        raise UsageError([Problem("benchmark-exists", f"results/{names}", "no benchmark yet", "one", remedy)])
    if (root / _SITE).exists():
        return plan
    schema = f"# yaml-language-server: $schema=../site/{file_name('site')}"
    site = File(_SITE, f"{schema}\ntitle: {json.dumps(title, ensure_ascii=False)}\n".encode())
    return Plan(plan.root, (site, *plan.files), plan.understood, plan.made, plan.ignored, plan.unchanged)


def _options_known(options: ImportOptions, used: set[str]) -> None:
    known = {name for importer in importers() if importer.id in used for name in importer.options}
    problems = [
        Problem("option-unknown", f"--option {name}", ", ".join(sorted(known)) or "no option for this format", name,
                "Leave it out.")
        for name in sorted(options.values.keys() - known)
    ]  # fmt: skip
    if problems:
        raise UsageError(problems)


def _by_benchmark(runs: Sequence[ImportedRun], benchmark_id: str | None) -> dict[str, list[ImportedRun]]:
    """Group runs by the benchmark they suggest, or put all under the one that was asked for."""
    groups: dict[str, list[ImportedRun]] = defaultdict(list)
    for run in runs:
        groups[run.benchmark].append(run)
    if benchmark_id is not None:
        if len(groups) > 1:
            found = ", ".join(sorted(groups))
            remedy = "Leave --benchmark out, or give the logs of one benchmark."
            raise Refusal([Problem("benchmark-several", "--benchmark", "logs of one benchmark", found, remedy)])
        return {benchmark_id: list(runs)}
    return dict(sorted(groups.items()))


def _reports(root: Path, runs: Sequence[ImportedRun], target: Target) -> tuple[list[File], list[Understood], list[str]]:
    problems: list[Problem] = []
    by_method: dict[str, list[ImportedRun]] = defaultdict(list)
    for run in runs:
        by_method[run.method.id].append(run)
    for name, members in by_method.items():
        if len(members) > 1:
            found = (
                f"{len(members)}, from {', '.join(sorted(file.name for run in members for file in run.sources)[:4])}"
            )
            remedy = "Add them one by one, each with its own --method."
            where = f"{name} for {target.id}"
            problems.append(Problem("method-repeated", where, "one log of a method", found, remedy))
    files: list[File] = []
    told: list[Understood] = []
    unchanged: list[str] = []
    for given in sorted(runs, key=lambda run: run.method.id):
        run = given
        samples, fingerprint = fitted(run, target, problems)
        left_out = [metric.id for metric in run.metrics if metric.id not in target.fields]
        if left_out:
            run = replace(run, notes=(*run.notes, f"not metrics of this board, and left out: {', '.join(left_out)}"))
        if problems:
            continue  # nothing will be written; go on for the problems of the others
        path = f"results/{target.id}/reports/{run.method.id}.json"
        content = written(report_of(run, target.id, target.fields, samples, fingerprint))
        told.append(understood(run, target, path, samples, _pinned(target, run)))
        if not (root / path).exists():
            files.append(File(path, content))
        elif (root / path).read_bytes() == content:
            unchanged.append(path)
        else:
            remedy = "Choose another --method; a report is replaced by removing it first."
            problems.append(Problem("file-exists", path, "no report of this method", "another one", remedy))
    if problems:
        raise Refusal(capped(problems))
    return files, told, unchanged


def _pinned(target: Target, run: ImportedRun) -> dict[str, str]:
    """Say of each component what it is: pinned by the log, derived by us, varying, or absent."""
    told = {}
    for name in COMPONENTS:
        pinned = target.pinned[name]
        if isinstance(pinned, Varying):
            told[name] = f"varies: {pinned.reason}"
        elif pinned is None:
            told[name] = "none: the log has nothing to hash"
        elif name == "benchmark" and run.fingerprint.benchmark is None:
            told[name] = f"{pinned} (derived from {run.content_from})"
        else:
            told[name] = f"{pinned} (from the log)"
    return told
