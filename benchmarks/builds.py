"""Time whole builds: of real reports, of a thousand methods new, unchanged and with one more, in processes, and live.

Run `python benchmarks/builds.py [--methods N] [--samples N] [--shared FOLDER]`. Seconds of wall and CPU, and the peak
of memory, each build a process of its own; where other work runs beside, CPU seconds are the ones to trust. Outcomes
are drawn (tests/sized_board.py), everything else is really computed. The sites of all ways to build are compared.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from sized_board import write_board, write_report  # noqa: E402  # found by the line above


def build(root: Path, out: Path, *options: str) -> str:
    """Build in a process of its own, and say what it took."""
    command = [sys.executable, str(Path(__file__)), "build", "--root", str(root), "--out", str(out), *options]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1])
    return f"{found['wall']:7.2f} s wall {found['cpu']:7.2f} s CPU {found['megabytes']:6.0f} MB"


def measured(arguments: list[str]) -> None:
    """Run the command here, imports included, and print what it took as the last line."""
    started = time.perf_counter()
    from tallystick.cli import main as command

    command(arguments)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(one.ru_utime + one.ru_stime for one in used)
    took = {"wall": time.perf_counter() - started, "cpu": cpu, "megabytes": used[0].ru_maxrss / 1000}
    print(f"\n{json.dumps(took)}")


def digest(folder: Path) -> str:
    """Return the digest of a site without the marker, which tells of earlier builds too."""
    total = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.name != ".tallystick"):
        total.update(f"{path.relative_to(folder)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


def far_board(shared: Path, root: Path) -> None:
    """Lay out a diagnostic board around the eleven real reports."""
    source, home = shared / "data" / "far_solo_v1", root / "results" / "far"
    (root / "content").mkdir(parents=True)
    (root / "content/site.yaml").write_text("title: FAR\n", "utf-8")
    for name in ("evaluations", "runs"):
        for path in sorted(source.glob(f"{name}/**/*.json*")):
            place = home / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(path.read_bytes())
    samples = (source / "bench/falsirag_bench.jsonl").read_bytes()
    (home / "bench").mkdir()
    (home / "bench/falsirag_bench.jsonl").write_bytes(samples)
    identity = json.loads((source / "runs/far/run_identity.json").read_bytes())
    names = {"benchmark": "benchmark_input", "corpus": "corpus", "configuration": "config"} | {
        "implementation": "implementation"
    }
    pinned = "".join(f"  {name}: '{identity[f'{field}_sha256']}'\n" for name, field in names.items())
    (home / "benchmark.yaml").write_text(
        f"title: FAR\nprotocol: falsirag\nfingerprint:\n{pinned}samples:\n  path: bench/falsirag_bench.jsonl\n"
        f"  sha256: '{hashlib.sha256(samples).hexdigest()}'\n  select: {{split: dev}}\ndiagnostic: a pilot\n",
        "utf-8",
    )


def live(root: Path, samples: int) -> str:
    """Change a report again and again as a preview would see it: checked, computed, one page made."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    from tallystick import pipeline
    from tallystick.cache import Cache
    from tallystick.present import present
    from tallystick.render import Renderer
    from tallystick.workshop import Workshop

    place, now, quiet = Workshop(Cache()), datetime.now(UTC), str

    def show() -> None:
        site = pipeline.computed(pipeline.check(root, now, quiet, place), root, quiet, None, place)
        page = next(one for one in present(site) if one.path == "made/methods/m0007.html")
        Renderer(root).file(page)

    show()
    times = []
    for draw in range(1, 6):
        write_report(root, 7, samples, draw)
        times.append(clock(show))
    wall, cpu = (sorted(column)[2] for column in zip(*times, strict=True))
    return f"{1000 * wall:.0f} ms wall, {1000 * cpu:.0f} ms CPU from a changed report of 100 to its page, median of 5"


def clock(work: Callable[[], object]) -> tuple[float, float]:
    """Return wall and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    """Print what each way takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--methods", type=int, default=1000)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument(
        "--shared", type=Path, default=Path(os.environ.get("TALLYSTICK_SHARED", ROOT.parent / "shared"))
    )
    options = parser.parse_args()
    print(f"{os.getloadavg()[0]:.1f} processes were running on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        if (options.shared / "data/far_solo_v1").is_dir():
            far_board(options.shared, home / "far")
            print(f"11 FAR reports × 60:        {build(home / 'far', home / 'far-site', '--no-cache')}")
        root, cache = home / "board", ("--cache", str(home / "cache"))
        write_board(root, options.methods, options.samples)
        print(f"{options.methods} methods × {options.samples}")
        print(f"  nothing remembered:       {build(root, home / 'plain', '--no-cache')}")
        print(f"  in two processes:         {build(root, home / 'two', '--no-cache', '--jobs', '2')}")
        print(f"  remembering:              {build(root, home / 'site', *cache)}")
        print(f"  unchanged:                {build(root, home / 'site', *cache)}")
        sites = {digest(home / name) for name in ("plain", "two", "site")}
        write_report(root, options.methods, options.samples)
        print(f"  with one report more:     {build(root, home / 'site', *cache)}")
        build(root, home / "plain", "--no-cache")
        same = len(sites) == 1 and digest(home / "site") == digest(home / "plain")
        print(f"  all sites the same:       {'yes' if same else 'NO'}")
        write_board(home / "hundred", 100, 200)
        print(f"100 methods × 200, live:    {live(home / 'hundred', 200)}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["build"]:
        measured(sys.argv[1:])
    else:
        main()
