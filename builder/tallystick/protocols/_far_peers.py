"""What the reports of one evaluation have in common beside the hashes that a board pins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tallystick.digest import compact_ascii, sha256
from tallystick.errors import Problem
from tallystick.model import Benchmark, Report, Varying
from tallystick.strict import Node
from tallystick.strict.names import title_problem

PROFILE, MANIFEST, GOLD = "metric profile", "benchmark manifest", "labels made for publication"
_MODEL, _SETTINGS = "language model", "settings of model, retrieval and input"
_REMEDY = "Reports of different evaluations are never mixed on a board: evaluate again as the others did."
_OF_THE_PLACE = frozenset(
    {"base_url", "cache_enabled", "cache_namespace", "cache_path", "keep_alive", "unload_after_sample"}
)
"""Settings of a model that say where it ran and what was kept, not what it answers."""


_COMPARED = (
    "/llm",
    "/retrieval",
    "/llm_runtime/model",
    "/llm_runtime/ollama_model/digest",
    "/initial_answers_sha256",
    "/benchmark_manifest_sha256",
)
"""What a run was given besides corpus, configuration and implementation; None where its format has no such field."""


def settings(identity: Node | None) -> dict[str, str]:
    """Label what a run says that it answered with; local paths and addresses are left out."""
    if identity is None:
        return {}
    model = identity.get("/llm/model")
    named = model if isinstance(model, str) and title_problem(model, "") is None else "none named"
    return {_MODEL: named, _SETTINGS: sha256(compact_ascii([_told(identity, pointer) for pointer in _COMPARED]))}


def outputs(predictions: Sequence[Mapping[str, Any]] | None) -> str:
    """Return the digest of all that was predicted, whatever the method is called and in whatever order."""
    if predictions is None:
        return ""
    rows = [{field: value for field, value in row.items() if field != "method"} for row in predictions]
    return sha256(compact_ascii(sorted(rows, key=lambda row: str(row.get("sample_id")))))


def check_alike(report: Report, benchmark: Benchmark, peers: Sequence[Report]) -> Iterator[Problem]:
    """Hold what a report was evaluated with against what most reports of the board were.

    Where the maintainer lets the configuration vary by method, model and retrieval may.
    """
    known = {problem.code for problem in report.problems}
    same = not isinstance(benchmark.fingerprint.configuration, Varying)
    for label, code, follows in (
        (PROFILE, "metric-profile", "not comparable"),
        (MANIFEST, "benchmark-manifest", "publication_ready does not follow from the benchmark manifest"),
        (GOLD, "publication-forged", "labels are the benchmark's, the same for every report"),
        (_MODEL, "run-settings", "not comparable, though its configuration hash is the same"),
        (_SETTINGS, "run-settings", "not comparable, though its configuration hash is the same"),
    ):
        mine, most = report.provenance.get(label), _most(label, (report, *peers))
        asked = (same and mine) if label in (_MODEL, _SETTINGS) else code not in known
        if asked and mine != most:
            expected = f"the {label} of most reports of the board, {most or 'none'}"
            yield Problem(code, report.path, expected, f"{mine or 'none'}: {follows}", _REMEDY)


def _told(identity: Node, pointer: str) -> Any:  # noqa: ANN401 - any JSON value
    found = identity.get(pointer)
    return {key: found[key] for key in found.keys() - _OF_THE_PLACE} if isinstance(found, dict) else found


def _most(label: str, reports: Sequence[Report]) -> str | None:
    """Return the value that most reports have; of equally frequent ones the first in order."""
    values = {one.path: one.provenance.get(label) for one in reports}
    counts = Counter(values.values())
    return min(counts, key=lambda value: (-counts[value], value or ""))
