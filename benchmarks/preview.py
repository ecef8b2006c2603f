"""Time what a writer waits for: from saving a file to the new page being served, and to its being seen in Chromium.

One run, one machine, one table. Ours previews a board of 1,000 methods, and for changed reports one of 100 methods on
300 samples. Hugo and Eleventy preview 1,000 pages with a table of 50 rows each, written as their users write them;
where one is not installed, that is said. Everyone is edited in the same way (write beside, rename) and asked in the
same way (the page, every 2 ms, until it holds what was written).

Usage: python benchmarks/preview.py [--edits N] [--methods N] [--eleventy FOLDER] [--no-browser]
`--eleventy` names a folder in which `npm install @11ty/eleventy` was run.
"""

from __future__ import annotations

import argparse
import http.client
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from sized_board import write_board, write_report  # noqa: E402  # the tests' factory, found by the line above

PAGES, ROWS = 1000, 50
LONGEST = 60.0


@dataclass(frozen=True, slots=True)
class Edit:
    """A kind of edit: `save(n)` writes edition n, and `path` then shows `mark(n)`; a style stands in a linked file."""

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

    def shows(self, edit: Edit, number: int) -> bool:
        """Say whether the page, or the style sheet that it links to, holds what was written."""
        page = self.get(edit.path)
        if edit.style:
            link = re.search(edit.style, page)
            page = self.get(f"/{link[1].lstrip('./')}") if link else ""
        return edit.mark(number) in page

    def wait(self, edit: Edit, number: int) -> None:
        """Ask until it does."""
        end = time.monotonic() + LONGEST
        while not self.shows(edit, number):
            if time.monotonic() > end:
                raise TimeoutError(f"{edit.kind}: {edit.path} never showed {edit.mark(number)!r}")
            time.sleep(0.002)


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


def timed(edit: Edit, edits: int, wait: Callable[[Edit, int], None]) -> list[float]:
    """Return the milliseconds of each edit, from before it is saved."""
    found = []
    for number in range(1, edits + 1):
        time.sleep(0.25)
        start = time.perf_counter()
        edit.save(number)
        wait(edit, number)
        found.append(1000 * (time.perf_counter() - start))
    return found


def served(name: str, process: subprocess.Popen[bytes], port: int, edit: Edit, count: int) -> None:
    """Time edits until their page is served, and print the line."""
    before = worked(process)
    found = timed(edit, count, Reader(port).wait)
    spent = (worked(process) - before) / count
    row(name, f"{edit.kind}, served", found, f"{spent:.0f} | {resident(process):.0f} MB")


def row(name: str, kind: str, found: list[float], more: str = "|") -> None:
    """Print a line of the table."""
    ordered = sorted(found)
    print(f"| {name} | {kind} | {statistics.median(found):.0f} | {ordered[int(0.9 * len(ordered))]:.0f} | "
          f"{ordered[-1]:.0f} | {more} |", flush=True)  # fmt: skip


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
    """Return the edit that replaces the scores of one method: its page lists the seal of the report."""
    seals: dict[int, str] = {}

    def save(number: int) -> None:
        beside = root / "beside"
        written = write_report(beside, 7, samples, draw=number)
        seals[number] = re.search(r'"seal": "([0-9a-f]{64})"', written.read_text("utf-8"))[1]  # type: ignore[index]
        written.replace(root / "results" / "made" / "reports" / "m0007.json")

    (root / "beside" / "results" / "made" / "reports").mkdir(parents=True)
    return Edit("report", "/made/methods/m0007.html", save, lambda n: seals[n])


def ours(root: Path, edits: tuple[Edit, ...], count: int, browser: bool, what: str) -> None:
    """Time our preview, over HTTP and in a browser."""
    port = free_port()
    command = [sys.executable, "-m", "tallystick", "serve", "--root", str(root), "--port", str(port)]
    with server(command, root, port, "<h1>Made") as process, chromium(browser) as page:
        for edit in edits:
            served(f"Tallystick, {what}", process, port, edit, count)
        if page is not None:
            for edit in edits:
                row(f"Tallystick, {what}", f"{edit.kind}, seen", seen(page, port, edit, count))


@contextmanager
def chromium(wanted: bool) -> Iterator[object | None]:
    """Open a page in headless Chromium, or none where there is no browser."""
    if not wanted:
        yield None
        return
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser.new_page()
        browser.close()


def seen(page: object, port: int, edit: Edit, count: int) -> list[float]:
    """Time edits until a page that is open in a browser shows them, by itself."""
    page.goto(f"http://127.0.0.1:{port}{edit.path}")  # type: ignore[attr-defined]
    time.sleep(1)
    script = "mark => document.body && document.body.innerText.includes(mark)"
    if edit.style:
        script = "mark => getComputedStyle(document.documentElement).getPropertyValue('--edition').includes(mark)"

    def wait(edit: Edit, number: int) -> None:
        page.wait_for_function(script, arg=edit.mark(number), timeout=1000 * LONGEST)  # type: ignore[attr-defined]

    shifted = Edit(edit.kind, edit.path, lambda n: edit.save(n + 1000), lambda n: edit.mark(n + 1000), edit.style)
    return timed(shifted, count, wait)


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
        Edit("style", "/m0007/", lambda n: write(static / "style.css", f"/* {mark(n)} */\n"), mark,
             style=r"href=(/style\.css)"),
    )  # fmt: skip


def peer(name: str, command: list[str] | None, count: int) -> None:
    """Time a peer, or say that it is not there."""
    if command is None:
        print(f"| {name} | not installed | | | | | |", flush=True)
        return
    with tempfile.TemporaryDirectory() as folder:
        root, port = Path(folder), free_port()
        edits = peer_site(root, name)
        with server([*command, "--port", str(port)] if name == "hugo" else [*command, f"--port={port}"], root, port,
                    "<h1>Made") as process:  # fmt: skip
            for edit in edits:
                served(name, process, port, edit, count)


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
    print(
        "| preview | edit | median | 90 % | slowest | of its processor | memory |\n|---|---|---|---|---|---|---|",
        flush=True,
    )
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
        peer("hugo", [hugo, "server", "--bind", "127.0.0.1"] if hugo else None, options.edits)
        peer("eleventy", [str(eleventy.resolve()), "--serve", "--incremental", "--quiet"] if eleventy else None,
             options.edits)  # fmt: skip


if __name__ == "__main__":
    main()
