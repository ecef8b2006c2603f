"""Write a board of native reports of any size: outcomes are drawn, everything else about them is true and sealed."""

from __future__ import annotations

import json
import random
from pathlib import Path

from tallystick.digest import seal, sha256

CATEGORIES = 5


def write_board(root: Path, methods: int, samples: int) -> None:
    """Write `root/results/made` with reports of so many methods on so many samples, and the site's settings."""
    home = root / "results" / "made"
    (home / "reports").mkdir(parents=True)
    (root / "content").mkdir()
    (root / "content" / "site.yaml").write_text("title: Made\n", "utf-8")
    rows = "".join(
        json.dumps({"id": f"s{place:06}", "category": f"c{place % CATEGORIES}", "group": f"g{place // 3}"}) + "\n"
        for place in range(samples)
    )
    (home / "samples.jsonl").write_text(rows, "utf-8")
    (home / "benchmark.yaml").write_text(
        "title: Made\nfingerprint:\n  benchmark: 'abc'\n"
        f"samples: {{path: samples.jsonl, sha256: '{sha256(rows.encode())}'}}\n"
        "axes: [category]\nstratum: category\ncluster: group\n"
        "metrics:\n"
        "  - {id: accuracy, title: Accuracy, fields: {value: correct}, binary: true}\n"
        "  - {id: quality, title: Quality}\n"
        "comparisons:\n  - {baseline: m0000, candidates: all, family: against m0000}\n",
        "utf-8",
    )
    for number in range(methods):
        write_report(root, number, samples)


def write_report(root: Path, number: int, samples: int, draw: int = 0) -> Path:
    """Write the report of method `number`; another `draw` gives other outcomes."""
    stream = random.Random(f"{number} {draw}")
    skill = 0.3 + 0.6 * random.Random(number).random()
    rows = []
    for place in range(samples):
        correct = int(stream.random() < skill)
        quality = round(0.5 * correct + 0.5 * stream.random(), 6)
        rows.append({"id": f"s{place:06}", "status": "scored", "correct": correct, "quality": quality})
    name = f"m{number:04}"
    document = {
        "format": "tallystick-report/1",
        "benchmark": "made",
        "method": {"id": name, "title": f"Method {number}"},
        "fingerprint": {"benchmark": "abc"},
        "run": {"finished": f"2026-{1 + number % 9:02}-11T12:00:00Z", "complete": True},
        "samples": rows,
        "stated": {"accuracy": {"estimate": sum(int(row["correct"]) for row in rows) / samples}},
    }
    document["seal"] = seal(document)
    path = root / "results" / "made" / "reports" / f"{name}.json"
    path.write_text(json.dumps(document), "utf-8")
    return path
