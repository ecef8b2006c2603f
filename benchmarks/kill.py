"""Kill builds with SIGKILL at random moments, and look at what they leave: the old site or the new one, and no growth.

One board has two editions, which builds make in turn over the same site; nobody tidies up between kills. Every other
build is killed at any moment of it, the others while the new site is being written, which is a small part of a build.
Builds are forked from a process that has the program in memory, so that moments fall into work and not into starting.

Usage: python benchmarks/kill.py [--kills N] [--methods N] [--seed N]      exit status 1 if a site was neither
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from sized_board import write_board  # noqa: E402  # the tests' factory, found by the line above
from tallystick import cli  # noqa: E402  # see above
from tallystick.publish import MARKER  # noqa: E402  # see above
from tallystick.receipt import tree  # noqa: E402  # see above

EDITIONS = ("First", "Second")


def edit(root: Path, edition: int) -> None:
    """Make the board say which edition it is, on every page."""
    (root / "content" / "site.yaml").write_text(f"title: {EDITIONS[edition]}\n", "utf-8")


def start(root: Path) -> int:
    """Begin a build in a child process and return its number."""
    child = os.fork()
    if child == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os._exit(cli.main(["build", "--root", str(root), "--cache", str(root / "cache")]))
    return child


def end(child: int) -> bool:
    """Wait for a build; say whether it was killed. A build that failed ends the benchmark."""
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status not in (0, -signal.SIGKILL):
        raise SystemExit(f"a build ended with {status}")
    return status != 0


def digest(site: Path) -> str:
    """Return what a site is: the digest of everything in it; the marker names these files and has to be there."""
    return tree(site) if (site / MARKER).is_file() else "no marker"


def whole(root: Path) -> tuple[dict[str, int], float, float]:
    """Return the digest of each edition's site, and how long the fastest build takes, and its writing."""
    sites, times = {}, []
    for edition in (0, 1, 0, 1):
        edit(root, edition)
        began = time.perf_counter()
        child = start(root)
        wrote = writing(root, child)
        end(child)
        ended = time.perf_counter()
        times.append((ended - began, ended - wrote))
        sites[digest(root / "site")] = edition
    return sites, *min(times)


def writing(root: Path, child: int) -> float:
    """Wait until a build writes its site (or tidies up after the last kill), or has ended; return when that was."""
    before = unfinished(root)
    while unfinished(root) in (None, before) and not os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        time.sleep(0.0005)
    return time.perf_counter()


def unfinished(root: Path) -> tuple[int, int] | None:
    """Tell one unfinished site from the next, and from what is left of it while it is removed."""
    try:
        found = (root / ".site.building").stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_ctime_ns


def kill(root: Path, number: int, stream: random.Random, build: float, write: float) -> bool:
    """Build, and kill the build at a random moment; say whether it was killed before its end."""
    child = start(root)
    if number % 2:
        writing(root, child)
        time.sleep(stream.uniform(0, 2 * write))
    else:
        time.sleep(stream.uniform(0, build))
    os.kill(child, signal.SIGKILL)
    return end(child)


def main() -> int:
    """Kill, count, and say what was found."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--kills", type=int, default=200)
    arguments.add_argument("--methods", type=int, default=8)
    arguments.add_argument("--seed", type=int, default=1729)
    options = arguments.parse_args()
    stream, found, left = random.Random(options.seed), Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_board(root, options.methods, 60)
        before = {path.name for path in root.iterdir()} | {"site", "cache"}
        sites, build, write = whole(root)
        print(
            f"a build takes {build:.2f} s, of which writing {write:.2f} s; {len(sites)} editions, seed {options.seed}"
        )
        standing = digest(root / "site")
        builds = 0
        while found["killed"] < options.kills:
            edit(root, 1 - sites[standing])
            killed = kill(root, builds, stream, build, write)
            now = digest(root / "site")
            found["neither" if now not in sites else ("old" if now == standing else "new")] += 1
            found["killed"] += killed
            builds += 1
            left.update(path.name for path in root.iterdir() if path.name not in before)
            standing = now if now in sites else standing
        edit(root, 1 - sites[standing])
        end(start(root))
        last = digest(root / "site") != standing and digest(root / "site") in sites
        rest = sorted(path.name for path in root.iterdir() if path.name not in before)
        halves = sum(1 for path in (root / "cache").rglob(".*"))
    print(f"{builds} builds, {found['killed']} of them killed before they ended")
    print(f"the old site {found['old']} times, the new one {found['new']} times, neither {found['neither']} times")
    print(f"left beside the site after a kill: {dict(left) or 'nothing'}; after one more build: {rest or 'nothing'}")
    print(f"the build after the last kill {'was right' if last else 'WAS WRONG'}; {halves} unfinished files cached")
    return int(found["neither"] > 0 or bool(rest) or not last)


if __name__ == "__main__":
    sys.exit(main())
