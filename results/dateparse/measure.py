"""Run the methods on samples.jsonl and write one sealed report each: `python measure.py [--check | --table] [METHOD…]`.

Running it again gives the same bytes: a report's finish date is replaced only when something else in it changed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import locale
import math
import os
import random
import sys
import time
import warnings
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from methods import METHODS, Method  # noqa: E402 - a script beside its modules

from tallystick.digest import seal  # noqa: E402

FIELDS = ("solved", "correct", "silently_wrong")
RESAMPLES, SEED = 2000, 1729


def pin_environment() -> None:
    """Set the zone and the locale that task.json names; warnings of the parsers are theirs, not answers."""
    os.environ.update(settled("environment"))
    time.tzset()
    locale.setlocale(locale.LC_ALL, "C")
    warnings.simplefilter("ignore")


def settled(key: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return what task.json settles."""
    return json.loads((HERE / "task.json").read_text(encoding="utf-8"))[key]


def samples() -> list[dict[str, Any]]:
    """Return the samples in the order of their file, which is sorted by id."""
    return [json.loads(line) for line in (HERE / "samples.jsonl").read_text(encoding="utf-8").splitlines()]


def harness(name: str) -> ModuleType:
    """Import a harness by its file name."""
    spec = importlib.util.spec_from_file_location(name.removesuffix(".py").replace("/", "_"), HERE / name)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def absent(method: Method) -> list[str]:
    """Return the pins of a method, Python first, that this environment does not have."""
    installed = {package.metadata["Name"].lower(): package.version for package in metadata.distributions()}
    installed["python"] = f"{sys.version_info.major}.{sys.version_info.minor}"
    pins = [f"python=={settled('python')}", *method.requires]
    return [pin for pin in pins if installed.get(pin.split("==")[0]) != pin.split("==")[1]]


def fingerprint(method: Method) -> dict[str, str | None]:
    """Return the digests of what was measured, by which rules, with which harness; there is no corpus to consult."""
    parts = {"benchmark": "samples.jsonl", "configuration": "task.json", "implementation": method.scoring}
    digests = {part: hashlib.sha256((HERE / name).read_bytes()).hexdigest() for part, name in parts.items()}
    return {"benchmark": digests["benchmark"], "corpus": None} | digests


def measure(method: Method, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Run a method on every sample and return their outcomes."""
    scoring, parse = harness(method.scoring), method.load(**method.options)
    reached = len(rows) if method.first is None else method.first
    return [
        {"id": row["id"]}
        | (scoring.outcome(parse, row["text"], row["gold"]) if index < reached else scoring.unmeasured())
        for index, row in enumerate(rows)
    ]


def interval(values: dict[str, list[int]]) -> dict[str, float]:
    """Return the mean of values (by stratum) with its percentile interval, as the contract's plain procedure has it."""
    stream, strata = random.Random(SEED), [values[name] for name in sorted(values)]
    total = sum(map(len, strata))
    replicates = sorted(
        math.fsum(stream.choice(stratum) for stratum in strata for _ in stratum) / total for _ in range(RESAMPLES)
    )

    def end(q: float) -> float:
        position = q * (RESAMPLES - 1)
        below = math.floor(position)
        weight = position - below
        return replicates[below] * (1 - weight) + replicates[min(below + 1, RESAMPLES - 1)] * weight

    alpha = (1 - 0.95) / 2
    estimate = math.fsum(value for stratum in strata for value in stratum) / total
    return {"estimate": estimate, "lower": end(alpha), "upper": end(1 - alpha)}


def stated(outcomes: list[dict[str, Any]], rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Return each field's estimate and interval, stratified by family; nothing for a field without values."""
    found = {}
    for name in FIELDS:
        strata: dict[str, list[int]] = {}
        for outcome, row in zip(outcomes, rows, strict=True):
            if name in outcome:
                strata.setdefault(row["family"], []).append(outcome[name])
        if strata:
            found[name] = interval(strata)
    return found


def report(method: Method) -> dict[str, Any]:
    """Return a method's report as measured now, without a finish date and unsealed."""
    rows = samples()
    outcomes = measure(method, rows)
    return {
        "format": "tallystick-report/1",
        "benchmark": "dateparse",
        "method": {"id": method.id, "title": method.title, "url": method.url, "kind": method.kind},
        "fingerprint": fingerprint(method),
        "run": {"finished": None, "complete": method.first is None, "demo": False},
        "samples": outcomes,
        "stated": stated(outcomes, rows) if method.first is None else {},
    }


def sealed(content: dict[str, Any], finished: str) -> bytes:
    """Return a report's text with its finish date and its seal."""
    dated = content | {"run": content["run"] | {"finished": finished}}
    return write(dated | {"seal": seal(dated)})


def write(content: dict[str, Any]) -> bytes:
    """Return a report as text: one line per sample, so that two versions can be read side by side."""
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in content.items() if key != "samples"]
    rows = ",\n".join(f"    {json.dumps(row)}" for row in content["samples"])
    lines.insert(list(content).index("samples"), f'  "samples": [\n{rows}\n  ]')
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def renewed(method: Method, now: str) -> tuple[bytes, bytes | None]:
    """Return a method's report as measured now and as it stood; equal unless more than the finish date changed."""
    path = HERE / "reports" / f"{method.id}.json"
    old = path.read_bytes() if path.exists() else None
    content = report(method)
    if old is not None and sealed(content, json.loads(old)["run"]["finished"]) == old:
        return old, old
    return sealed(content, now), old


def table() -> str:
    """Return the complete reports of the present harness as a Markdown table, most solved first."""
    found = []
    for path in (HERE / "reports").glob("*.json"):
        content = json.loads(path.read_bytes())
        if content["run"]["complete"] and content["fingerprint"] == fingerprint(METHODS[0]):
            outcomes = content["samples"]
            ends = [sum(outcome["status"] == status for outcome in outcomes) for status in ("abstained", "invalid")]
            counts = [sum(outcome.get(name, 0) for outcome in outcomes) for name in FIELDS]
            found.append((-counts[0], content["method"]["id"], [*counts, *ends], len(outcomes)))
    lines = [
        f"| `{name}` | {solved} ({solved / total:.1%}) | {correct} of {total - declined - broken} | {wrong} "
        f"| {declined} | {broken} |"
        for _, name, (solved, correct, wrong, declined, broken), total in sorted(found)
    ]
    head = "| method | solved | correct, of answered | silently wrong | declined | contract broken |"
    return "\n".join([head, "|---|---|---|---|---|---|", *lines]) + "\n"


def main() -> int:
    """Measure the named methods, or all; with --check, write nothing and fail where a report would change."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("methods", nargs="*", metavar="METHOD", help="ids of methods (default: all)")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a report would change")
    parser.add_argument("--finished", help="finish date of changed reports (default: now)")
    parser.add_argument("--table", action="store_true", help="measure nothing; print the reports as a table")
    options = parser.parse_args()
    if options.table:
        print(table(), end="")
        return 0
    pin_environment()
    now = options.finished or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    failed = False
    for method in METHODS:
        if options.methods and method.id not in options.methods:
            continue
        if lacking := absent(method):
            print(f"{method.id}: skipped, needs {', '.join(lacking)}")
            failed = True
            continue
        new, old = renewed(method, now)
        failed |= options.check and new != old
        print(f"{method.id}: {'unchanged' if new == old else 'changed'}")
        if new != old and not options.check:
            (HERE / "reports" / f"{method.id}.json").write_bytes(new)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
