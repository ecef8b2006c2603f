"""Import a large samples file: time beside plain `json.loads` of the same lines, and peak memory.

Usage: python benchmarks/importing.py [MEGABYTES]. The file holds rows of lm-evaluation-harness with 4 kB of transcript
each; 200 MB unless told otherwise. The peer parses the lines and keeps nothing: no digest, no duplicate keys, no check.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from logs_made import TIME, harness_row, harness_run  # noqa: E402  # the tests' own logs, found by the line above
from tallystick.importing import add  # noqa: E402

TRANSCRIPT = "A chain of thought, 64 characters long, that nobody reads twice. " * 64


def made(folder: Path, megabytes: int) -> int:
    """Write a run whose samples file has about that many megabytes and return the number of rows."""
    first = harness_row(0, acc=0.0)
    first["resps"] = [[TRANSCRIPT]]
    count = megabytes * 10**6 // len(json.dumps(first))
    rows = [harness_row(index, acc=float(index % 2)) for index in range(count)]
    harness_run(folder, {"sums": rows}, {"sums": {"acc,none": sum(row["acc"] for row in rows) / count}})
    with (folder / f"samples_sums_{TIME}.jsonl").open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps({**row, "resps": [[TRANSCRIPT]]}) + "\n")
    return count


def peak() -> float:
    """Return the process's greatest memory so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Make the file in another process's memory, then import it and print one line."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if (child := os.fork()) == 0:  # so that making the file does not count as memory of importing it
            made(folder, megabytes)
            os._exit(0)
        os.waitpid(child, 0)
        path = folder / f"samples_sums_{TIME}.jsonl"
        start, before = time.process_time(), peak()
        (item,) = add([folder], folder / "board").understood
        ours, memory = time.process_time() - start, peak()
        start = time.process_time()
        with path.open(encoding="utf-8") as file:
            rows = sum(1 for line in file if json.loads(line))
        peer = time.process_time() - start
        print(
            f"{path.stat().st_size / 1e6:.0f} MB, {rows} rows, mean {item.means['acc'][0]}: {ours:.2f} s, "
            f"{ours / peer:.1f} times json.loads ({peer:.2f} s); memory {before:.0f} MB before, {memory:.0f} MB at most"
        )


if __name__ == "__main__":
    main()
