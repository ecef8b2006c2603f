"""What the pages of large boards weigh, and how long a browser takes to sort them.

Run `python benchmarks/pages.py`. First load is the board's page with its stylesheet, script and mark, each by itself
through gzip -9, as servers send them; the budget is 100 kB for 50 methods. Sorting is timed in headless Chromium from
the click to the next frame, layout and painting included, beside the same reordering of bare rows in the same page.
"""

from __future__ import annotations

import gzip
import random
import shutil
import statistics
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import synthetic  # noqa: E402  # found by the line above
from tallystick.board import Board, Document, Estimate, Interval, Site, Standing  # noqa: E402
from tallystick.export import export_page  # noqa: E402
from tallystick.model import Metric  # noqa: E402
from tallystick.pages import board as board_page  # noqa: E402
from tallystick.pages import long, metric  # noqa: E402
from tallystick.pages._frame import page  # noqa: E402
from tallystick.pages._results import further_table  # noqa: E402
from tallystick.render import render  # noqa: E402

METRICS = 21
SIZES = (50, 1000)
EVERY = "far/every-metric.html"
"""A page with all metrics of all methods in one table, the longest and widest that sorts."""
SORTS = 15
SORT = """column => new Promise(done => {
  const begun = performance.now();
  document.querySelector(`#results th[data-column="${column}"] button`).click();
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)));
})"""
BARE = """() => new Promise(done => {
  const body = document.querySelector("#results tbody"), begun = performance.now();
  body.append(...[...body.rows].reverse());
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)));
})"""


def made(methods: int) -> Board:
    """Return a board of so many methods with 20 metrics."""
    whole = synthetic.board()
    first = whole.entries[0]
    metrics = tuple(
        Metric(f"metric_{place}", f"Metric {place}", "mean", {"value": f"metric_{place}"}) for place in range(METRICS)
    )
    stream = random.Random(1729)
    entries = []
    for place in range(methods):
        estimates = {}
        for one in metrics:
            value = stream.random()
            estimates[one.id] = Estimate(
                one.id, value, Interval(value - 0.03, value + 0.04), 60, 60, False, standard_error=0.02
            )
        method = replace(first.report.method, id=f"method-{place}", title=f"Method number {place} of many")
        entries.append(replace(first, report=replace(first.report, method=method), estimates=estimates, breakdowns=()))
    entries.sort(key=lambda entry: -(entry.estimates["metric_0"].value or 0))
    standings = {
        entry.method: Standing(entry.method, max(1, place - 40), min(methods, place + 40), "a–f", place < 9)
        for place, entry in enumerate(entries)
    }
    benchmark = replace(whole.benchmark, metrics=metrics, primary="metric_0", comparisons=())
    return replace(
        whole, benchmark=benchmark, entries=tuple(entries), comparisons=(), standings=standings, ranking=None
    )


def every_metric(site: Site) -> Document:
    """Return a page with all metrics of all methods in one table."""
    (board,) = site.boards
    table = further_table(board, board.entries, "results", "Every metric but the first")
    return page(site, EVERY, "long.html", title="Every metric", description="", board=board, name="", tables=(table,))


def packed(content: bytes) -> int:
    """Return the size of what a server sends."""
    return len(gzip.compress(content, 9))


def main() -> None:
    """Print both tables."""
    out = Path(tempfile.mkdtemp(prefix="tallystick-pages-"))
    print("| methods | page | kB | kB, gzip | first load, kB gzip |\n|---|---|---|---|---|")
    for methods in SIZES:
        site = Site(synthetic.site().settings, (made(methods),), ())
        pages = [*board_page.PAGE.documents(site), *metric.PAGE.documents(site)[:2], *long.PAGE.documents(site)]
        pages.append(every_metric(site))
        whole = [export_page(page, frozenset())[0] for page in pages if isinstance(page, Document)]
        files = {file.path: file.content for file in render([page for page in whole if isinstance(page, Document)])}
        beside = sum(packed(content) for path, content in files.items() if path.startswith("assets/"))
        for path, content in files.items():
            place = out / str(methods) / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
            if path.endswith(".html"):
                sizes = (len(content), packed(content), packed(content) + beside)
                print(f"| {methods:,} | {path} |", " | ".join(f"{size / 1000:,.1f}" for size in sizes), "|")
    times(out)
    shutil.rmtree(out)


def times(out: Path) -> None:
    """Print how long sorting takes."""
    from playwright.sync_api import sync_playwright

    print("\n| methods | page | column | sorting, ms | reordering bare rows, ms |\n|---|---|---|---|---|")
    with sync_playwright() as started:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for methods in SIZES:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            for path, column in (("far/index.html", "metric_0"), ("far/index.html", "method"), (EVERY, "metric_1")):
                page.goto((out / str(methods) / path).as_uri())
                took = statistics.median(page.evaluate(SORT, column) for _ in range(SORTS))
                bare = statistics.median(page.evaluate(BARE) for _ in range(SORTS))
                print(f"| {methods:,} | {path} | {column} | {took:.0f} | {bare:.0f} |")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
