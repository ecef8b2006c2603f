"""Boards around the real FAR reports, held in memory so that a test can edit any byte and judge the board again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tallystick import metrics
from tallystick.board import Judgement
from tallystick.errors import Problem
from tallystick.model import Benchmark, Blob, MetricKind, Report, Unread
from tallystick.pipeline import judge
from tallystick.protocols import falsirag, ramdocs
from tallystick.read import read_bundle
from tallystick.registry import collect
from tallystick.settings import load_benchmark

PROTOCOLS = (falsirag.PROTOCOL, ramdocs.PROTOCOL)
NOW = datetime(2027, 1, 1, tzinfo=UTC)
Files = dict[str, bytes]

SAMPLES = {"falsirag": "bench/falsirag_bench.jsonl", "ramdocs": "bench/tasks.jsonl"}


@dataclass(frozen=True)
class Verdicts:
    """What became of a board's reports, by method."""

    judgements: Mapping[str, Judgement]
    unread: tuple[Unread, ...]

    def outcome(self, method: str) -> str:
        return self.judgements[method].outcome

    def problems(self, method: str, code: str = "") -> list[Problem]:
        return [problem for problem in self.judgements[method].problems if code in ("", problem.code)]

    def told(self, method: str) -> str:
        """Return all messages on a method."""
        return "\n".join(str(problem) for problem in self.judgements[method].problems)

    def others(self, method: str) -> set[str]:
        """Return the outcomes of all other methods."""
        return {judgement.outcome for name, judgement in self.judgements.items() if name != method}


@lru_cache(maxsize=4)
def files_of(folder: Path) -> Mapping[str, bytes]:
    """Read every file below a folder, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".md"
    }


@lru_cache(maxsize=8)
def benchmark_of(folder: Path, protocol: str, *, diagnostic: str = "", manifest: bool = True) -> Benchmark:
    """Settle a board around a folder: fingerprint of `runs/far`, split dev, the manifest pinned if there is one."""
    identity = json.loads((folder / "runs/far/run_identity.json").read_bytes())
    fields = {
        "benchmark": "benchmark_input_sha256",
        "corpus": "corpus_sha256",
        "configuration": "config_sha256",
        "implementation": "implementation_sha256",
    }
    lines = ["title: FAR", f"protocol: {protocol}", "fingerprint:"]
    lines += [f"  {name}: '{identity[field]}'" for name, field in fields.items()]
    pinned = {"samples": SAMPLES[protocol]}
    if manifest and (folder / "bench/manifest.json").is_file():
        pinned["manifest"] = "bench/manifest.json"
    with TemporaryDirectory() as temporary:
        home = Path(temporary) / "results" / "far"
        (home / "bench").mkdir(parents=True)
        for name, path in pinned.items():
            content = (folder / path).read_bytes()
            (home / path).write_bytes(content)
            where = "samples:" if name == "samples" else f"supplements:\n  {name}:"
            indent = "  " if name == "samples" else "    "
            lines += [where, f"{indent}path: {path}", f"{indent}sha256: '{sha256(content)}'"]
            lines += ["  select: {split: dev}"] if name == "samples" else []
        if diagnostic:
            lines.append(f"diagnostic: {diagnostic}")
        (home / "benchmark.yaml").write_text("\n".join(lines) + "\n", "utf-8")
        kinds = collect(metrics, "METRIC", MetricKind)
        return load_benchmark(Path(temporary), "far", PROTOCOLS, kinds)


def verdicts(files: Mapping[str, bytes], benchmark: Benchmark) -> Verdicts:
    """Judge a board's files as a build would."""
    protocol = next(one for one in PROTOCOLS if one.id == benchmark.protocol)
    own = {benchmark.samples.path, *(blob.path for blob in benchmark.supplements.values())}
    blobs = tuple(Blob(path, sha256(content), content) for path, content in files.items() if path not in own)
    bundles, unread = protocol.assemble(blobs, benchmark)
    read = [read_bundle(bundle, benchmark, protocol) for bundle in bundles]
    reports = [one for one in read if isinstance(one, Report)]
    judged = judge(reports, benchmark, protocol, NOW)
    failed = tuple(one for one in read if isinstance(one, Unread))
    return Verdicts({one.report.method.id: one for one in judged}, (*unread, *failed))


def sha256(content: bytes) -> str:
    """Return the digest of bytes."""
    return hashlib.sha256(content).hexdigest()


def edited(files: Mapping[str, bytes], path: str, change: Callable[[Any], None]) -> Files:
    """Return the files with one JSON document changed in place by `change`."""
    document = json.loads(files[path])
    change(document)
    return {**files, path: json.dumps(document, indent=2, ensure_ascii=False, sort_keys=True).encode()}


def rows_edited(files: Mapping[str, bytes], path: str, change: Callable[[list[Any]], None]) -> Files:
    """Return the files with the rows of a JSON Lines file changed in place by `change`."""
    rows = [json.loads(line) for line in files[path].splitlines() if line.strip()]
    change(rows)
    text = "".join(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows)
    return {**files, path: text.encode()}


def stated_digest(files: Mapping[str, bytes], evaluation: str) -> Files:
    """Return the files with the report's statement of its scores' digest made true again."""
    digest = sha256(files[f"{evaluation}/scores.jsonl"])
    return edited(files, f"{evaluation}/report.json", lambda report: report["provenance"].update(scores_sha256=digest))


def on_evidence(benchmark: Benchmark) -> Benchmark:
    """Return the board as one of evidence."""
    return replace(benchmark, diagnostic=None)
