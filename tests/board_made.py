"""A small board repository on disk, with native reports that anyone may tamper with."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path

from tallystick.digest import seal, sha256

METHODS = {"alpha": "Alpha", "beta": "A_1 & B%", "gamma": "=1+1"}
SAMPLES = 24


def make(root: Path, methods: Mapping[str, str] = METHODS, *, title: str = "Made up", diagnostic: str = "") -> Path:
    """Write a board of one benchmark, `made`, below `root` and return `root`."""
    folder = root / "results" / "made"
    (folder / "reports").mkdir(parents=True)
    rows = [{"id": f"s{number:02d}", "category": "ab"[number % 2]} for number in range(SAMPLES)]
    samples = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "samples.jsonl").write_text(samples, encoding="utf-8")
    digest = sha256(samples.encode())
    lines = [f"title: {json.dumps(title)}", "fingerprint:", f"  benchmark: {digest}"]
    lines += ["  corpus: null", "  configuration: null", "  implementation: null"]
    lines += ["samples:", "  path: samples.jsonl", f"  sha256: {digest}", "axes: [category]", "stratum: category"]
    lines += ["metrics:", "  - {id: correct, title: Correct, binary: true}", "bootstrap: {resamples: 200}"]
    lines += [f"diagnostic: {json.dumps(diagnostic)}"] if diagnostic else []
    (folder / "benchmark.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for place, (method, name) in enumerate(methods.items()):
        report(root, method, name, place)
    (root / "content").mkdir()
    settings = "title: Made up boards\ndescription: For tests.\nbase_url: https://boards.example.org/x\n"
    (root / "content" / "site.yaml").write_text(settings, encoding="utf-8")
    return root


def report(root: Path, method: str, title: str, place: int, abstained: int = 0) -> Path:
    """Write a sealed report whose share of right answers falls with its place."""
    folder = root / "results" / "made"
    stream = random.Random(place)
    rows: list[dict[str, object]] = []
    for number in range(SAMPLES):
        if number < abstained:
            rows.append({"id": f"s{number:02d}", "status": "abstained"})
        else:
            right = int(stream.random() < 0.9 - 0.25 * place)
            rows.append({"id": f"s{number:02d}", "status": "scored", "correct": right})
    document: dict[str, object] = {
        "format": "tallystick-report/1",
        "benchmark": "made",
        "method": {"id": method, "title": title},
        "fingerprint": {
            "benchmark": sha256((folder / "samples.jsonl").read_bytes()),
            "corpus": None,
            "configuration": None,
            "implementation": None,
        },
        "run": {"finished": f"2026-03-{place + 1:02d}T12:00:00Z", "complete": True, "demo": False},
        "samples": rows,
        "stated": {},
    }
    document["seal"] = seal(document)
    path = folder / "reports" / f"{method}.json"
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return path
