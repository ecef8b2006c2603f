"""Ten minutes of random edits, renames, deletions, broken files and reconnects, while readers read the preview.

Says how much was done, all that should not have been seen, and how memory went. Exit status 1 if anything was wrong.

Usage: python benchmarks/preview_chaos.py [--seconds N] [--seed N]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from preview_chaos import chaos  # noqa: E402  # the tests' own chaos, found by the line above

FLAT = 1.1


def main() -> int:
    """Print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        findings, log = chaos(Path(folder), options.seconds, options.seed)
    faults = log.count("Traceback") + log.count("internal-error")
    growth = findings.growth()
    print(f"{findings.edits} edits, {findings.asked} pages read, {findings.streams} streams opened")
    print(f"{len(findings.wrong)} things that should not have been seen, {faults} faults of our own")
    for wrong in findings.wrong[:20]:
        print(f"  {wrong}")
    print(f"memory {findings.memory[0] / 1024:.0f} MB at first, {findings.memory[-1] / 1024:.0f} MB at last; "
          f"last third against middle third × {growth:.3f}")  # fmt: skip
    return int(bool(findings.wrong) or faults > 0 or growth > FLAT)


if __name__ == "__main__":
    sys.exit(main())
