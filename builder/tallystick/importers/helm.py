"""HELM run folders: one benchmark for each split and perturbation, samples by instance and training trial."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from tallystick.errors import Problem
from tallystick.imported import (
    IDS_ALONE,
    ImportedMetric,
    ImportedRun,
    ImportedSample,
    ImportedStatement,
    Importer,
    ImportOptions,
    Recognised,
    identifier,
)
from tallystick.importers._values import fingerprint_of, given_name, method, metric, sample_id, score, settle
from tallystick.logs import LogFile
from tallystick.model import Fingerprint, Status

_BOOKKEEPING = (
    "num_", "finish_reason_", "inference_", "training_", "batch_size", "prompt_truncated", "max_prob", "logprob",
)  # fmt: skip


def _recognises(file: LogFile) -> str | None:
    document = file.head
    if file.kind != "json":
        return None
    if isinstance(document, dict):
        if {"adapter_spec", "scenario_spec"} <= set(document):
            return "run_spec"
        if {"adapter_spec", "request_states"} <= set(document):
            return "scenario_state"
        return "scenario" if {"definition_path", "description", "tags"} <= set(document) else None
    if isinstance(document, list) and document and isinstance(document[0], dict):
        if {"instance_id", "stats"} <= set(document[0]):
            return "per_instance"
        if isinstance(document[0].get("name"), dict) and "count" in document[0]:
            return "stats"
    return None


def _read(files: tuple[Recognised, ...], options: ImportOptions) -> tuple[ImportedRun, ...]:
    problems: list[Problem] = []
    folders: dict[str, dict[str, LogFile]] = defaultdict(dict)
    for file in files:
        folders[file.file.folder][file.role] = file.file
    runs: list[ImportedRun] = []
    for folder, roles in sorted(folders.items()):
        absent = [f"{role}.json" for role in ("run_spec",) if role not in roles]
        absent += ["per_instance_stats.json"] if "per_instance" not in roles else []
        if absent:
            remedy = "Give the whole run folder."
            problems.append(
                Problem("run-incomplete", folder or "the files given", " and ".join(absent), "none", remedy)
            )
        else:
            runs += _runs(roles, options, problems)
    settle(problems)
    return tuple(runs)


def _runs(roles: Mapping[str, LogFile], options: ImportOptions, problems: list[Problem]) -> list[ImportedRun]:
    parts: dict[tuple[str, str], list[tuple[str, Mapping[str, Any]]]] = defaultdict(list)
    for index, entry in enumerate(roles["per_instance"].head):
        where = f"{roles['per_instance'].name} /{index}"
        perturbation = (entry.get("perturbation") or {}).get("name", "")
        for split in sorted({stat["name"].get("split") or "" for stat in entry["stats"]}) or [""]:
            parts[split, perturbation].append((where, entry))
    several = len({split for split, _ in parts}) > 1
    return [_run(part, rows, roles, several, options, problems) for part, rows in sorted(parts.items())]


def _run(
    part: tuple[str, str],
    rows: list[tuple[str, Mapping[str, Any]]],
    roles: Mapping[str, LogFile],
    several: bool,
    options: ImportOptions,
    problems: list[Problem],
) -> ImportedRun:
    split, perturbation = part
    spec = roles["run_spec"].head
    adapter = spec["adapter_spec"]
    contents = _contents(roles.get("scenario_state"))
    trials = len({entry.get("train_trial_index") for _, entry in rows}) > 1
    samples = [_sample(entry, where, split, trials, contents, problems) for where, entry in rows]
    names = _metrics(spec, samples)
    model = options.method or adapter.get("model") or adapter.get("model_deployment")
    model = given_name(model, roles["run_spec"].name, "method", problems)
    base = identifier(_benchmark(spec["name"]))
    suffix = "".join(f"-{identifier(word)}" for word in (split if several else "", perturbation) if word)
    return ImportedRun(
        format="helm",
        method=method(options, model),
        benchmark=f"{base}{suffix}"[:63],
        title=f"{_benchmark(spec['name'])}{f', {split}' if split else ''}{f', {perturbation}' if perturbation else ''}",
        metrics=tuple(_metric(name, samples) for name in names),
        samples=tuple(_kept(sample, names) for sample in samples),
        fingerprint=_fingerprint(spec, split, perturbation),
        sources=tuple(roles[role] for role in sorted(roles)),
        stated=tuple(_stated(roles.get("stats"), split, perturbation, names)),
        provenance={
            "run": str(spec["name"]),
            "model deployment": str(adapter.get("model_deployment")),
            "instances at most": str(adapter.get("max_eval_instances")),
        },
        unproven=(
            "when it was run and with which version of HELM: a run folder says neither",
            "values that were not finite: HELM removes them before writing",
            "worst cases over perturbations: stats.json states them, single instances do not",
        ),
        content_from="each instance's input and references" if contents else IDS_ALONE,
    )


def _benchmark(name: str) -> str:
    """Return the run's name without the method: `scenario:a=b,model=m` → `scenario:a=b`."""
    head, _, arguments = name.partition(":")
    kept = [part for part in arguments.split(",") if part and not part.startswith(("model=", "model_deployment="))]
    return f"{head}:{','.join(kept)}" if kept else head


def _contents(state: LogFile | None) -> dict[str, str]:
    """Hash each instance's input and references, where the folder holds the requests."""
    if state is None:
        return {}
    instances = [entry["instance"] for entry in state.head["request_states"]]
    return {
        str(item.get("id")): fingerprint_of([(item.get("input") or {}).get("text"), item.get("references")])
        for item in instances
        if not item.get("perturbation")
    }


def _sample(
    entry: Mapping[str, Any],
    where: str,
    split: str,
    trials: bool,
    contents: Mapping[str, str],
    problems: list[Problem],
) -> ImportedSample:
    instance = sample_id(entry.get("instance_id"), where, problems)
    values: dict[str, float] = {}
    for stat in entry["stats"]:
        name = stat["name"]
        if (name.get("split") or "") == split and not name.get("sub_split") and stat.get("count"):
            mean = stat["mean"] if "mean" in stat else stat["sum"] / stat["count"]
            value = score(mean, f"{where} {name['name']}", problems)
            if value is not None:
                values[str(name["name"])] = value
    trial = f"/{entry.get('train_trial_index')}" if trials else ""
    return ImportedSample(
        f"{instance}{trial}", "scored", values, {}, instance if trials else None, contents.get(instance)
    )


def _metrics(spec: Mapping[str, Any], samples: list[ImportedSample]) -> list[str]:
    """Choose the metrics that score an answer: those named by the run first, never HELM's bookkeeping."""
    held = {name for sample in samples for name in sample.values if not name.startswith(_BOOKKEEPING)}
    named = [name for entry in spec.get("metric_specs") or () for name in (entry.get("args") or {}).get("names") or ()]
    first = [name for name in dict.fromkeys(named) if name in held]
    return first + sorted(held - set(first))


def _metric(name: str, samples: list[ImportedSample]) -> ImportedMetric:
    return metric(name, (sample.values[name] for sample in samples if name in sample.values))


def _kept(sample: ImportedSample, names: list[str]) -> ImportedSample:
    """Keep the chosen metrics; a sample without any of them was not scored."""
    values = {name: sample.values[name] for name in names if name in sample.values}
    status: Status = "scored" if values else "unresolved"
    return ImportedSample(sample.id, status, values, sample.axes, sample.cluster, sample.content)


def _stated(stats: LogFile | None, split: str, perturbation: str, names: list[str]) -> list[ImportedStatement]:
    stated: list[ImportedStatement] = []
    for index, stat in enumerate(stats.head if stats else ()):
        name = stat["name"]
        told = name.get("perturbation") or {}
        same = (name.get("split") or "") == split and told.get("name", "") == perturbation
        worst = told.get("computed_on", "perturbed") != "perturbed"
        if same and not worst and not name.get("sub_split") and name["name"] in names and stat.get("count"):
            where = f"{stats.name if stats else ''} /{index}/mean"
            value = stat["mean"] if "mean" in stat else stat["sum"] / stat["count"]
            stated.append(ImportedStatement(where, name["name"], value))
    return stated


def _fingerprint(spec: Mapping[str, Any], split: str, perturbation: str) -> Fingerprint:
    """Hash scenario and prompt settings; the method's own deployment stays out."""
    adapter = {key: value for key, value in spec["adapter_spec"].items() if key not in {"model", "model_deployment"}}
    configuration = {"scenario": spec["scenario_spec"], "adapter": adapter, "metrics": spec.get("metric_specs")}
    configuration |= {"split": split, "perturbation": perturbation}
    return Fingerprint(None, None, fingerprint_of(configuration), None)


IMPORTER = Importer("helm", "HELM run folder", _recognises, _read)
