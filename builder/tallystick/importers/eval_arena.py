"""eval-arena JSON Lines: one line per method and example, the smallest useful per-sample log."""

from __future__ import annotations

from collections import defaultdict

from tallystick.errors import Problem
from tallystick.imported import (
    ImportedRun,
    ImportedSample,
    Importer,
    ImportOptions,
    Recognised,
    identifier,
)
from tallystick.importers._values import given_name, method, metric, sample_id, score, settle
from tallystick.logs import LogFile, objects
from tallystick.model import Fingerprint

_KEYS = {"benchmark_id", "model", "example_id", "pass1"}


def _recognises(file: LogFile) -> str | None:
    first = file.head[0] if isinstance(file.head, list) and file.head else file.head
    return "rows" if file.kind in {"json", "lines"} and isinstance(first, dict) and set(first) >= _KEYS else None


def _read(files: tuple[Recognised, ...], options: ImportOptions) -> tuple[ImportedRun, ...]:
    problems: list[Problem] = []
    samples: dict[tuple[str, str], list[ImportedSample]] = defaultdict(list)
    sources: dict[tuple[str, str], dict[str, LogFile]] = defaultdict(dict)
    for file in files:
        for where, row in objects(file.file):
            benchmark = given_name(row.get("benchmark_id"), where, "benchmark", problems)
            key = (benchmark, given_name(row.get("model"), where, "method", problems))
            name = sample_id(row.get("example_id"), where, problems)
            value = score(row.get("pass1"), where, problems)
            status, values = ("unresolved", {}) if value is None else ("scored", {"pass1": value})
            sources[key][file.file.name] = file.file
            samples[key].append(ImportedSample(name, status, values))  # type: ignore[arg-type]  # one of two literals
    settle(problems)
    return tuple(
        ImportedRun(
            format="eval_arena",
            method=method(options, model),
            benchmark=identifier(benchmark),
            title=benchmark,
            metrics=(metric("pass1", (s.values["pass1"] for s in rows if s.values), title="pass@1"),),
            samples=tuple(rows),
            fingerprint=Fingerprint(None, None, None, None),
            sources=tuple(sources[benchmark, model].values()),
            unproven=(
                "which version of the benchmark was run: the rows hold an id and nothing of the example",
                "when and with which harness it was run",
                "how many attempts stand behind a value, where `count` is absent",
            ),
        )
        for (benchmark, model), rows in sorted(samples.items())
    )


IMPORTER = Importer("eval_arena", "eval-arena JSON Lines", _recognises, _read)
