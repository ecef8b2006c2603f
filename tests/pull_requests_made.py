"""A board in a git repository, and the pull requests that strangers might open."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tallystick.digest import seal, sha256

SAMPLES = 40
SETTINGS = """\
title: Small
samples: {{path: samples.jsonl, sha256: {digest}}}
metrics:
  - {{id: accuracy, title: Accuracy, binary: true}}
bootstrap: {{resamples: 200}}
comparisons:
  - {{baseline: plain, candidates: all, family: against plain}}
"""
WHO = {f"GIT_{role}_{what}": "a@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
ALONE = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, knowing nothing of this machine's settings."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | WHO | ALONE
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True, encoding="utf-8"
    )
    return done.stdout


def report(method: str, right: Iterable[int], *, finished: str = "2026-11-02", **more: object) -> dict[str, Any]:
    """Return a sealed report that has the samples of `right` right."""
    chosen = set(right)
    document: dict[str, Any] = {
        "format": "tallystick-report/1",
        "benchmark": "small",
        "method": {"id": method, "title": more.pop("title", method)},
        "fingerprint": {},
        "run": {"finished": f"{finished}T12:00:00Z", "complete": True},
        "samples": [{"id": f"s{i:02}", "status": "scored", "accuracy": int(i in chosen)} for i in range(SAMPLES)],
        **more,
    }
    return {**document, "seal": seal(document)}


class Board:
    """A board repository in `folder`, on its branch main."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def begin(self) -> None:
        """Make the repository, with two reports."""
        samples = "".join(f'{{"id": "s{i:02}"}}\n' for i in range(SAMPLES))
        self.write("results/small/samples.jsonl", samples)
        self.write("results/small/benchmark.yaml", SETTINGS.format(digest=sha256(samples.encode())))
        self.write("content/site.yaml", "title: Ours\n")
        self.write(".gitignore", "site/\n")
        self.report(report("plain", range(10), finished="2026-11-01"))
        self.report(report("best", range(30), finished="2026-11-01"))
        git(self.folder, "init", "--quiet", "--initial-branch", "main")
        self.commit("Begin")

    def write(self, path: str, content: str) -> None:
        """Write a file."""
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, "utf-8")

    def report(self, document: Mapping[str, Any]) -> None:
        """Write a report where its method's belongs."""
        self.write(f"results/small/reports/{document['method']['id']}.json", json.dumps(document))

    def commit(self, message: str) -> None:
        """Commit everything."""
        git(self.folder, "add", "--all")
        git(self.folder, "commit", "--quiet", "--message", message)

    def branch(self, name: str, start: str = "main") -> None:
        """Begin a branch."""
        git(self.folder, "switch", "--quiet", "--create", name, start)

    def merge(self, name: str) -> None:
        """Merge a branch into main, and stay there."""
        git(self.folder, "switch", "--quiet", "main")
        git(self.folder, "merge", "--quiet", "--no-ff", "--no-edit", name)


def some(seed: int, count: int) -> list[int]:
    """Return samples chosen as if by chance."""
    return random.Random(seed).sample(range(SAMPLES), count)
