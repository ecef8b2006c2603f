"""Time what a writer waits for: from saving a file to the new page being served, and to its being seen in Chromium.

One run, one machine, one table. Ours previews a board of 1,000 methods, and for changed reports one of 100 methods on
300 samples. Hugo and Eleventy preview 1,000 pages with a table of 50 rows each, written as their users write them;
where one is not installed, that is said. Everyone is edited in the same way (write beside, rename). "Served" asks for
the page every 2 ms until it holds what was written. "Reaches Chromium" is when a page that is open in it has the last
byte of what was edited, by itself, and "shown there" the first frame that can hold it. A machine that stands still as a
whole, as virtual ones do, is no fault of a preview: the edits that it hit are counted and left out.

Usage: python benchmarks/preview.py [--edits N] [--methods N] [--eleventy FOLDER] [--no-browser]
`--eleventy` names a folder in which `npm install @11ty/eleventy` was run.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from sized_board import write_board, write_report  # noqa: E402  # the tests' factory, found by the line above

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGES, ROWS = 1000, 50
LONGEST = 60.0
STANDSTILL = 0.1
"""Seconds without a pulse, of ten milliseconds, that make a measurement worthless."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A kind of edit: `save(n)` writes edition n, and `path` then shows `mark(n)`; a style stands in a linked file.

    The mark is asked for first.
    """

    kind: str
    path: str
    save: Callable[[int], None]
    mark: Callable[[int], str]
    style: str = ""


def write(path: Path, text: str) -> None:
    """Save as careful editors do."""
    beside = path.with_name(f".{path.name}.saving")
    beside.write_text(text, "utf-8")
    beside.replace(path)


def free_port() -> int:
    """Return a port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Reader:
    """Asks for pages over one connection."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST)

    def get(self, path: str) -> str:
        """Return a page; the empty string where there is none just now."""
        try:
            self._connection.request("GET", path)
            return self._connection.getresponse().read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException):
            self._connection.close()
            return ""

    def shows(self, edit: Edit, mark: str) -> bool:
        """Say whether the page, or the style sheet that it links to, holds what was written."""
        page = self.get(edit.path)
        if edit.style:
            link = re.search(edit.style, page)
            page = self.get(f"/{link[1].lstrip('./')}") if link else ""
        return mark in page

    def wait(self, edit: Edit, mark: str) -> list[float]:
        """Ask until it does, and return when that was."""
        end = time.monotonic() + LONGEST
        while not self.shows(edit, mark):
            if time.monotonic() > end:
                raise TimeoutError(f"{edit.kind}: {edit.path} never showed {mark!r}")
            time.sleep(0.002)
        return [time.time()]


@contextmanager
def server(command: list[str], folder: Path, port: int, first: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a preview until its first page is there, and end it afterwards."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        reader, end = Reader(port), time.monotonic() + 600
        while first not in reader.get("/") and time.monotonic() < end:
            if process.poll() is not None:
                raise RuntimeError(f"{command[0]} ended")
            time.sleep(0.1)
        time.sleep(2)
        yield process
    finally:
        process.terminate()
        process.wait(20)


def resident(process: subprocess.Popen[bytes]) -> float:
    """Return the megabytes that a process holds."""
    status = Path(f"/proc/{process.pid}/status")
    found = re.search(r"VmRSS:\s+(\d+)", status.read_text("ascii")) if status.exists() else None
    return int(found[1]) / 1024 if found else float("nan")


def worked(process: subprocess.Popen[bytes]) -> float:
    """Return the milliseconds of processor time that a process has used: busy neighbours do not lengthen them."""
    stat = Path(f"/proc/{process.pid}/stat")
    fields = stat.read_text("ascii").rpartition(")")[2].split() if stat.exists() else []
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else float("nan")


class Pulse:
    """Notices when nothing at all runs for a while."""

    def __init__(self) -> None:
        self.stops: list[float] = []
        threading.Thread(target=self._beat, daemon=True).start()

    def _beat(self) -> None:
        last = time.monotonic()
        while True:
            time.sleep(0.01)
            now = time.monotonic()
            if now - last > STANDSTILL:
                self.stops.append(now)
            last = now


PULSE = Pulse()


def timed(edit: Edit, edits: int, wait: Callable[[Edit, str], list[float]]) -> list[list[float]]:
    """Return for each edit the milliseconds from before it is saved to each moment that `wait` returns (Unix time)."""
    found = []
    for number in range(1, edits + 1):
        time.sleep(0.25)
        mark = edit.mark(number)
        stops, start = len(PULSE.stops), time.time()
        edit.save(number)
        moments = wait(edit, mark)
        time.sleep(0.03)  # so that a standstill is noticed
        if len(PULSE.stops) == stops:
            found.append([1000 * (moment - start) for moment in moments])
    return found


def served(name: str, process: subprocess.Popen[bytes], port: int, edit: Edit, count: int) -> None:
    """Time edits until their page is served, and print the line."""
    before, reader = worked(process), Reader(port)
    found = timed(edit, count, reader.wait)
    spent = (worked(process) - before) / count
    row(name, f"{edit.kind}, served", found, 0, count, f"{spent:.0f} | {resident(process):.0f} MB")


def row(name: str, kind: str, found: list[list[float]], place: int, count: int, more: str = "|") -> None:
    """Print a line of the table; what came by no request that the browser tells of has no time."""
    ordered = sorted(moments[place] for moments in found if moments[place] > 0)
    if not ordered:
        print(f"| {name} | {kind} | – | – | – | 0 of {count} | {more} |", flush=True)
        return
    print(f"| {name} | {kind} | {statistics.median(ordered):.0f} | {ordered[int(0.9 * len(ordered))]:.0f} | "
          f"{ordered[-1]:.0f} | {len(ordered)} of {count} | {more} |", flush=True)  # fmt: skip


# --- ours -------------------------------------------------------------------------------------------------------------


def our_edits(root: Path) -> tuple[Edit, ...]:
    """Return edits of content, template and style, in the board repository's own folders."""
    templates, about = root / "templates", root / "content" / "about.md"
    (templates / "static").mkdir(parents=True)
    head = "---\ntitle: About\n---\n"
    method = (ROOT / "templates" / "method.html").read_text("utf-8")
    style = (ROOT / "templates" / "static" / "style.css").read_text("utf-8")
    write(about, f"{head}Edition 0\n")
    write(templates / "method.html", method)
    write(templates / "static" / "style.css", style)

    def template(number: int) -> None:
        write(
            templates / "method.html", method.replace("{% block content %}", f"{{% block content %}}Edition-{number}.")
        )

    return (
        Edit("content", "/about.html", lambda n: write(about, f"{head}Edition-{n}.\n"), lambda n: f"Edition-{n}."),
        Edit("template", "/made/methods/m0007.html", template, lambda n: f"Edition-{n}."),
        Edit("style", "/made/methods/m0007.html",
             lambda n: write(templates / "static" / "style.css", f":root {{ --edition: Edition-{n}. }}\n{style}"),
             lambda n: f"Edition-{n}.", style=r'href="([^"]*/style\.[^"]*\.css)"'),
    )  # fmt: skip


def report_edit(root: Path, samples: int) -> Edit:
    """Return the edit that replaces the scores of one method: its page lists the seal of the report, in parts."""
    beside = root / "beside"
    (beside / "results" / "made" / "reports").mkdir(parents=True)
    written: dict[int, Path] = {}

    def seal(number: int) -> str:
        if number not in written:
            written[number] = beside / f"{number}.json"
            write_report(beside, 7, samples, draw=number).replace(written[number])
        return str(json.loads(written[number].read_bytes())["seal"])[:16]

    def save(number: int) -> None:
        written[number].rename(root / "results" / "made" / "reports" / "m0007.json")

    return Edit("report", "/made/methods/m0007.html", save, seal)


def ours(root: Path, edits: tuple[Edit, ...], count: int, browser: bool, what: str) -> None:
    """Time our preview, over HTTP and in a browser."""
    port = free_port()
    command = [sys.executable, "-m", "tallystick", "serve", "--root", str(root), "--port", str(port)]
    with server(command, root, port, "<h1>Made") as process, chromium(browser) as page:
        for edit in edits:
            served(f"Tallystick, {what}", process, port, edit, count)
        if page is not None:
            for edit in edits:
                seen(f"Tallystick, {what}", page, port, edit, count)


@contextmanager
def chromium(wanted: bool) -> Iterator[Page | None]:
    """Open a page in headless Chromium, or none where there is no browser."""
    if not wanted:
        yield None
        return
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        page = browser.new_page()
        page.add_init_script(f"({WATCH})()")
        yield page
        browser.close()


WATCH = """() => {
  const look = () => {
    requestAnimationFrame(look);
    if (!document.body) return;
    const { mark, style } = JSON.parse(localStorage.getItem("edit") ?? "{}");
    const text = style ? getComputedStyle(document.documentElement).getPropertyValue("--edition")
      : document.body.textContent;
    if (mark && text.includes(mark) && !localStorage.getItem("shown"))
      localStorage.setItem("shown", performance.timeOrigin + performance.now());
  };
  look();
}"""
"""Notes in every page when the first frame is made that can hold what was written."""

REACHED = """wanted => performance.timeOrigin + Math.max(
  ...[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .filter(one => new RegExp(wanted).test(new URL(one.name).pathname)).map(one => one.responseEnd))"""
"""Says when the last byte of what was edited had come."""


def seen(name: str, page: Page, port: int, edit: Edit, count: int) -> None:
    """Time edits until a page that is open in a browser has them, and until it shows them, all by itself."""
    page.goto(f"http://127.0.0.1:{port}{edit.path}")
    time.sleep(1)
    wanted = r"style[^/]*\.css$" if edit.style else f"^{re.escape(edit.path)}$"

    def mark(number: int) -> str:
        told = json.dumps({"mark": edit.mark(number + 1000), "style": bool(edit.style)})
        page.evaluate("told => { localStorage.clear(); localStorage.setItem('edit', told) }", told)
        return ""

    def wait(edit: Edit, mark: str) -> list[float]:
        page.wait_for_function("() => localStorage.getItem('shown')", timeout=1000 * LONGEST)
        return [page.evaluate(REACHED, wanted) / 1000, float(page.evaluate("localStorage.getItem('shown')")) / 1000]

    shifted = Edit(edit.kind, edit.path, lambda n: edit.save(n + 1000), mark, edit.style)
    found = timed(shifted, count, wait)
    row(name, f"{edit.kind}, reaches Chromium", found, 0, count)
    row(name, f"{edit.kind}, shown there", found, 1, count)


# --- peers ------------------------------------------------------------------------------------------------------------


def table(number: int) -> str:
    """Return the front matter of a page with a table."""
    rows = "".join(f"  - [sample {row}, {(row * number) % 97 / 97:.3f}]\n" for row in range(ROWS))
    return f"---\ntitle: Method {number}\nlayout: LAYOUT\nrows:\n{rows}---\n"


LAYOUTS = {
    "hugo": ("single.html", "<html><head><link rel=stylesheet href=/style.css></head><body>EDITION<h1>{{ .Title }}</h1>"
             "<table>{{ range .Params.rows }}<tr>{{ range . }}<td>{{ . }}</td>{{ end }}</tr>{{ end }}</table>"
             "{{ .Content }}</body></html>"),
    "eleventy": ("single.njk", "<html><head><link rel=stylesheet href=/style.css></head><body>EDITION<h1>"
                 "{{ title }}</h1>"
                 "<table>{% for row in rows %}<tr>{% for cell in row %}<td>{{ cell }}</td>{% endfor %}</tr>{% endfor %}"
                 "</table>{{ content | safe }}</body></html>"),
}  # fmt: skip


def peer_site(root: Path, name: str) -> tuple[Edit, ...]:
    """Write the site of a peer and return its edits."""
    content = root / ("content" if name == "hugo" else "src")
    layouts = root / "layouts" / "_default" if name == "hugo" else content / "_includes"
    static = root / "static" if name == "hugo" else content
    for folder in (content, layouts, static):
        folder.mkdir(parents=True, exist_ok=True)
    file, layout = LAYOUTS[name]
    matter = {n: table(n).replace("LAYOUT", "single" if name == "hugo" else file) for n in range(PAGES)}
    for number, text in matter.items():
        write(content / f"m{number:04}.md", text + "Edition 0\n")
    write(layouts / file, layout)
    write(static / "style.css", "body { color: black }\n")
    if name == "hugo":
        write(root / "hugo.toml", 'baseURL = "/"\ntitle = "Made"\ndisableKinds = ["taxonomy", "term", "RSS"]\n')
        write(root / "config.toml", (root / "hugo.toml").read_text("utf-8"))
        write(layouts / "list.html", "<h1>Made</h1>")
        write(root / "layouts" / "index.html", "<h1>Made</h1>")
    else:
        write(content / "index.njk", "<h1>Made</h1>")
        write(root / "eleventy.config.cjs", "module.exports = (c) => { c.addPassthroughCopy('src/style.css');"
              " return { dir: { input: 'src', output: 'out' } } }\n")  # fmt: skip

    def mark(n: int) -> str:
        return f"Edition-{n}."

    return (
        Edit("content", "/m0007/", lambda n: write(content / "m0007.md", f"{matter[7]}{mark(n)}\n"), mark),
        Edit("template", "/m0007/", lambda n: write(layouts / file, layout.replace("EDITION", mark(n))), mark),
        Edit("style", "/m0007/", lambda n: write(static / "style.css", f":root {{ --edition: {mark(n)} }}\n"), mark,
             style=r"href=(/style\.css)"),
    )  # fmt: skip


def peer(name: str, command: list[str] | None, count: int, browser: bool) -> None:
    """Time a peer, or say that it is not there."""
    if command is None:
        print(f"| {name} | not installed | | | | | | |", flush=True)
        return
    with tempfile.TemporaryDirectory() as folder:
        root, port = Path(folder), free_port()
        edits = peer_site(root, name)
        with server([*command, "--port", str(port)] if name == "hugo" else [*command, f"--port={port}"], root, port,
                    "<h1>Made") as process, chromium(browser) as page:  # fmt: skip
            for edit in edits:
                served(name, process, port, edit, count)
            if page is not None:
                for edit in edits:
                    seen(name, page, port, edit, count)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edits", type=int, default=20)
    parser.add_argument("--methods", type=int, default=PAGES)
    parser.add_argument("--eleventy", type=Path, help="a folder in which @11ty/eleventy is installed")
    parser.add_argument("--no-browser", action="store_true")
    parser.add_argument("--only", choices=("ours", "peers"))
    options = parser.parse_args()
    print(f"{options.edits} edits of each kind, milliseconds; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print("| preview | edit | median | 90 % | slowest | edits | of its processor | memory |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    if options.only != "peers":
        for methods, samples in ((100, 300), (options.methods, 50)):
            with tempfile.TemporaryDirectory() as folder:
                root = Path(folder)
                write_board(root, methods, samples)
                edits = our_edits(root) if methods != 100 else (report_edit(root, samples),)
                ours(root, edits, options.edits, not options.no_browser, f"{methods} methods")
    if options.only != "ours":
        eleventy = options.eleventy / "node_modules" / ".bin" / "eleventy" if options.eleventy else None
        hugo = shutil.which("hugo")
        peer("hugo", [hugo, "server", "--bind", "127.0.0.1"] if hugo else None, options.edits,
             not options.no_browser)  # fmt: skip
        peer("eleventy", [str(eleventy.resolve()), "--serve", "--incremental", "--quiet"] if eleventy else None,
             options.edits, not options.no_browser)  # fmt: skip


if __name__ == "__main__":
    main()
