"""The boards that fuzz.py changes at random: the example board, and boards around each kind of the shared data."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tallystick.digest import compact_ascii, seal

ROOT = Path(__file__).resolve().parents[1]
Files = dict[str, bytes]


@dataclass
class Board:
    """A board in memory: its files, those of the report under attack, and how a forger makes digests true again."""

    name: str
    files: Files
    victim: tuple[str, ...]
    main: str
    repair: Callable[[Files, Mapping[str, str]], Files]
    id: str = "fuzzed"
    resealed: bool = False
    free: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    cases: int = 0

    def roles(self) -> dict[str, str]:
        """Return the paths of the report under attack by file name."""
        return {path.rpartition("/")[2]: path for path in self.victim}


def boards(shared: Path) -> Iterator[Board]:
    """Make every board that the shared data allow."""
    yield _dateparse()
    if (shared / "far_solo_v1").is_dir():
        yield _far(shared / "far_solo_v1", "falsirag", "crag_style_reproduction", "bench/falsirag_bench.jsonl")
        yield _far(shared / "oracle_far", "falsirag", "reflective_rag", "bench/falsirag_bench.jsonl")
        yield _far(shared / "far_ramdocs_v1", "ramdocs", "vanilla_rag", "bench/tasks.jsonl")
        yield _agents(shared / "textinsight")
        yield _oracle_textinsight(shared / "oracle_textinsight")
    else:
        print(f"no shared data in {shared}: only the example board is changed")


def _dateparse() -> Board:
    folder = ROOT / "results/dateparse"
    kept = ("stdlib", "dateutil", "ciso8601")
    files = {"benchmark.yaml": (folder / "benchmark.yaml").read_bytes()}
    files |= {"samples.jsonl": (folder / "samples.jsonl").read_bytes()}
    files |= {f"reports/{name}.json": (folder / f"reports/{name}.json").read_bytes() for name in kept}
    path = "reports/ciso8601.json"
    report = json.loads(files[path])
    scored = [row["correct"] for row in report["samples"] if row["status"] == "scored"]
    report["stated"] = {"correct": {"estimate": sum(scored) / len(scored), "n": len(scored)}}
    report["counts"] = {"scored": len(scored)}
    files[path] = dumped({**report, "seal": seal(report)})
    return Board("native", files, (path,), path, _sealed, id="dateparse", resealed=True)


def _sealed(files: Files, roles: Mapping[str, str]) -> Files:
    (path,) = roles.values()
    document = json.loads(files[path])
    return {**files, path: dumped({**document, "seal": seal(document)})}


def _far(folder: Path, protocol: str, victim: str, samples: str) -> Board:
    kept = (
        {"vanilla_rag", "multi_query_rag", "far", victim}
        if folder.name != "oracle_far"
        else {"vanilla_rag", "far", victim}
    )
    paths = [path for path in sorted(folder.rglob("*.json*")) if kept & set(path.relative_to(folder).parts[:-1])]
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    identity = json.loads((folder / "runs/far/run_identity.json").read_bytes())
    lines = ["title: Fuzzed", f"protocol: {protocol}", "diagnostic: changed at random", "fingerprint:"]
    for component, stem in (("benchmark", "benchmark_input"), ("corpus", "corpus"), ("configuration", "config")):
        lines.append(f"  {component}: '{identity[f'{stem}_sha256']}'")
    lines.append(f"  implementation: '{identity['implementation_sha256']}'")
    lines += _pinned(folder, files, samples, "samples:", "  ")
    lines += ["  select: {split: dev}"]
    if (folder / "bench/manifest.json").is_file():
        lines += ["supplements:", *_pinned(folder, files, "bench/manifest.json", "  manifest:", "    ")]
    files["benchmark.yaml"] = "\n".join(lines).encode()
    mine = tuple(path for path in files if victim in path.split("/"))
    return Board(f"{protocol}/{folder.name}", files, mine, f"evaluations/{victim}/report.json", _resigned)


def _pinned(folder: Path, files: Files, path: str, head: str, indent: str) -> list[str]:
    files[path] = (folder / path).read_bytes()
    return [head, f"{indent}path: {path}", f"{indent}sha256: '{_sha256(files[path])}'"]


def _resigned(files: Files, roles: Mapping[str, str]) -> Files:
    """Make the signature true, then the digests of predictions and scores."""
    identity, manifest, report = (
        json.loads(files[roles[name]]) for name in ("run_identity.json", "run_manifest.json", "report.json")
    )
    unsigned = {"run_signature", "created_at"}
    if str(identity.get("schema_version")).endswith("v2"):
        unsigned.add("environment")
    signature = _sha256(compact_ascii({key: value for key, value in identity.items() if key not in unsigned}))
    provenance = report["provenance"]
    for holder in (identity, manifest, provenance):
        if "run_signature" in holder:
            holder["run_signature"] = signature
    manifest["predictions_sha256"] = provenance["predictions_sha256"] = _sha256(files[roles["predictions.jsonl"]])
    provenance["scores_sha256"] = _sha256(files[roles["scores.jsonl"]])
    return {
        **files,
        roles["run_identity.json"]: dumped(identity),
        roles["run_manifest.json"]: dumped(manifest),
        roles["report.json"]: dumped(report),
    }


def _agents(folder: Path) -> Board:
    files = {name: (folder / name).read_bytes() for name in ("agent-runs.json", "tasks.json")}
    files["benchmark.yaml"] = _textinsight(files["tasks.json"])
    return Board("textinsight/agents", files, ("agent-runs.json",), "agent-runs.json", lambda files, _: files)


def _oracle_textinsight(folder: Path) -> Board:
    """Atlas alone: the oracle's other reports are of other profiles and belong to boards of their own."""
    files = {"tasks.json": (folder / "bench/tasks.json").read_bytes()}
    path = "methods/atlas/report.json"
    files[path] = (folder / path).read_bytes()
    files["benchmark.yaml"] = _textinsight(files["tasks.json"])
    return Board("textinsight/oracle", files, (path,), path, lambda files, _: files)


def _textinsight(tasks: bytes) -> bytes:
    lines = ["title: Fuzzed", "protocol: textinsight", "diagnostic: changed at random", "fingerprint:"]
    lines += [f"  {name}: {{varies: fuzzed}}" for name in ("benchmark", "corpus", "configuration", "implementation")]
    lines += ["samples:", "  path: tasks.json", f"  sha256: '{_sha256(tasks)}'"]
    return "\n".join(lines).encode()


def dumped(value: object) -> bytes:
    """Write a JSON value as the evaluators do."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
