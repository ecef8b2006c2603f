"""Writes a board as nobody should while its preview is read: broken, half, renamed, deleted, in bursts, at random."""

from __future__ import annotations

import http.client
import json
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from sized_board import write_board, write_report

METHODS, SAMPLES = 4, 12
ABOUT = "---\ntitle: About\n---\nEdition {}.\n"
PAGES = ("", "index.html", "about.html", "made/", "made/methods/m0001.html", "made/audit.html", "nowhere", "feed.xml")
SOUND = (200, 301, 304, 404, 500)


@dataclass
class Findings:
    """What was seen: anything in `wrong` should never have been."""

    asked: int = 0
    edits: int = 0
    streams: int = 0
    wrong: list[str] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)

    def growth(self) -> float:
        """Return how many times as much memory the last third of the time took as the middle one."""
        third = len(self.memory) // 3
        return max(self.memory[2 * third :]) / max(self.memory[third : 2 * third])


class Writer:
    """Edits a board at random; `mend` puts everything right."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = random.Random(seed)
        self.count = 0
        write_board(root, METHODS, SAMPLES)
        self.mend()

    def edit(self) -> None:
        """Do one thing, whatever it meets."""
        self.count += 1
        with suppress(OSError):
            self.random.choice(ACTIONS)(self)

    def mend(self) -> str:
        """Put everything right, and return what the page about this site must then say."""
        self.count += 1
        for gone in ("results.away", "content.away", "templates"):
            shutil.rmtree(self.root / gone, ignore_errors=True)
        shutil.rmtree(self.root / "content", ignore_errors=True)
        shutil.rmtree(self.root / "results", ignore_errors=True)
        write_board(self.root, METHODS, SAMPLES)
        self.about(f"sound-{self.count}")
        return f"Edition sound-{self.count}."

    def place(self, *parts: str) -> Path:
        """Return a path of the board."""
        return self.root.joinpath(*parts)

    def report(self) -> Path:
        """Return the path of some report."""
        return self.place("results", "made", "reports", f"m{self.random.randrange(METHODS):04}.json")

    # --- what can be done to a board ----------------------------------------------------------------------------------

    def about(self, edition: str | None = None) -> None:
        """Save a page by renaming."""
        beside = self.place("content", ".about.md.saving")
        beside.write_text(ABOUT.format(edition or self.count), "utf-8")
        beside.replace(self.place("content", "about.md"))

    def about_in_place(self) -> None:
        """Save a page in two halves."""
        with self.place("content", "about.md").open("w", encoding="utf-8") as file:
            for half in ABOUT.format(self.count).split("title"):
                file.write(half + ("" if half.endswith(".\n") else "title"))
                file.flush()
                time.sleep(self.random.uniform(0, 0.03))

    def broken_page(self) -> None:
        """Leave front matter open, or no text at all."""
        broken = self.random.choice((b"---\ntitle: [", b"", b"\xff\xfe", b"---\ntitle: <script>\nother: 1\n---\n"))
        self.place("content", "about.md").write_bytes(broken)

    def no_page(self) -> None:
        """Delete a page."""
        self.place("content", "about.md").unlink()

    def settings(self) -> None:
        """Break or mend the settings of the site."""
        text = self.random.choice(("title: Made\n", "title: [", "", "unknown: 1\n", f"title: Made {self.count}\n"))
        self.place("content", "site.yaml").write_text(text, "utf-8")

    def benchmark(self) -> None:
        """Break or mend the settings of the board."""
        path = self.place("results", "made", "benchmark.yaml")
        text = path.read_text("utf-8")
        path.write_text(text.removesuffix("oops\n") if text.endswith("oops\n") else f"{text}oops\n", "utf-8")

    def new_report(self) -> None:
        """Give a method other outcomes."""
        write_report(self.root, self.random.randrange(METHODS), SAMPLES, draw=self.count)

    def broken_report(self) -> None:
        """Cut a report short, or write nonsense."""
        self.report().write_bytes(self.random.choice((b"{", b"", b"[1e999]", b"\x00" * 4096, b"<html>")))

    def no_report(self) -> None:
        """Delete a report."""
        self.report().unlink()

    def renamed_report(self) -> None:
        """Rename a report."""
        self.report().rename(self.place("results", "made", "reports", f"moved{self.count % 3}.json"))

    def template(self) -> None:
        """Write a template that may be wrong."""
        folder = self.place("templates")
        folder.mkdir(exist_ok=True)
        text = ("{{ nowhere }}", "{% if %}", "{% extends 'base.html' %}", "<!doctype html><p>{{ title }}</p></html>\n")
        name = self.random.choice(("prose.html", "method.html", "missing.html"))
        (folder / name).write_text(self.random.choice(text), "utf-8")

    def no_templates(self) -> None:
        """Delete the templates."""
        shutil.rmtree(self.place("templates"))

    def style(self) -> None:
        """Write a style sheet."""
        folder = self.place("templates", "static")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "style.css").write_text(f"/* {self.count} */", "utf-8")

    def away_and_back(self) -> None:
        """Rename a whole folder and back."""
        name = self.random.choice(("content", "results"))
        self.place(name).rename(self.place(f"{name}.away"))
        time.sleep(self.random.uniform(0, 0.3))
        self.place(f"{name}.away").rename(self.place(name))

    def fresh_content(self) -> None:
        """Delete and make again the folder of content."""
        shutil.rmtree(self.place("content"))
        time.sleep(self.random.uniform(0, 0.1))
        self.place("content").mkdir()
        self.place("content", "site.yaml").write_text("title: Made\n", "utf-8")
        self.about()

    def burst(self) -> None:
        """Write and delete a few hundred files at once."""
        folder = self.place("results", "made", "junk")
        folder.mkdir(exist_ok=True)
        for number in range(200):
            (folder / f"{number}.json").write_text("{}", "utf-8")
        shutil.rmtree(folder)

    def odd_files(self) -> None:
        """Put links and odd names where pages are looked for."""
        with suppress(FileExistsError):
            self.place("content", "link.md").symlink_to("/etc/passwd")
        self.place("content", "Ünïcode name.md").write_text("x", "utf-8")
        time.sleep(0.02)
        for name in ("link.md", "Ünïcode name.md"):
            self.place("content", name).unlink()


ACTIONS: tuple[Callable[[Writer], None], ...] = (
    *(Writer.about, Writer.about_in_place, Writer.new_report, Writer.settings) * 2,
    Writer.broken_page, Writer.no_page, Writer.benchmark, Writer.broken_report, Writer.no_report, Writer.renamed_report,
    Writer.template, Writer.no_templates, Writer.style, Writer.away_and_back, Writer.fresh_content, Writer.burst,
    Writer.odd_files,
)  # fmt: skip


class Reader:
    """Reads the preview meanwhile, and notes what a reader must never see."""

    def __init__(self, port: int, findings: Findings, seed: int) -> None:
        self.port = port
        self.findings = findings
        self.random = random.Random(seed)

    def ask(self, path: str) -> tuple[int, str]:
        """Return status and text of a page, which is whole or an error."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", f"/{path}")
            answer = connection.getresponse()
            text = answer.read().decode("utf-8")  # raises where it is shorter than it says
        finally:
            connection.close()
        self.findings.asked += 1
        if answer.status not in SOUND:
            self.findings.wrong.append(f"{path}: status {answer.status}")
        if answer.getheader("Content-Type", "").startswith("text/html"):
            page = re.sub(r"<link rel=\"stylesheet\" href=\"/-/.*\n\Z", "", text)
            if text and not (page.lstrip().startswith("<!doctype html>") and "</html>" in page):
                self.findings.wrong.append(f"{path}: half a page, {text[:80]!r} … {text[-80:]!r}")
        return answer.status, text

    def read(self, stop: threading.Event) -> None:
        """Ask for pages until it is over."""
        while not stop.is_set():
            try:
                self.ask(self.random.choice(PAGES))
            except (OSError, http.client.HTTPException, UnicodeDecodeError) as error:
                self.findings.wrong.append(f"{type(error).__name__}: {error}")
            time.sleep(self.random.uniform(0, 0.05))

    def listen(self, stop: threading.Event) -> None:
        """Listen for news, hang up, listen again."""
        while not stop.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            try:
                connection.request("GET", f"/-/events?{quote('/' + self.random.choice(PAGES), safe='')}")
                answer = connection.getresponse()
                answer.readline()
                json.loads(answer.readline().removeprefix(b"data: "))
                self.findings.streams += 1
            except (OSError, ValueError, http.client.HTTPException) as error:
                self.findings.wrong.append(f"events: {type(error).__name__}: {error}")
            finally:
                connection.close()
            time.sleep(self.random.uniform(0, 0.2))


@contextmanager
def preview(root: Path, log: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run `tallystick serve` until its first site is there, and return the process with its port."""
    command = [sys.executable, "-m", "tallystick", "serve", "--root", str(root), "--port", "0"]
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
    try:
        end, found = time.monotonic() + 60, None
        while found is None and time.monotonic() < end and process.poll() is None:
            time.sleep(0.05)
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", log.read_text("utf-8"))
        assert found is not None, log.read_text("utf-8")
        reader = Reader(int(found[1]), Findings(), 0)
        while reader.ask("")[0] != 200 and time.monotonic() < end:  # it serves before it has built
            time.sleep(0.05)
        yield process, reader.port
    finally:
        process.terminate()
        process.wait(20)


def chaos(folder: Path, seconds: float, seed: int) -> tuple[Findings, str]:
    """Write and read for some time, put everything right, and return what was seen and what the terminal was told."""
    findings, stop, log = Findings(), threading.Event(), folder / "log"
    writer = Writer(folder / "board", seed)
    with preview(folder / "board", log) as (process, port):
        readers = [Reader(port, findings, seed + number) for number in range(3)]
        threads = [threading.Thread(target=reader.read, args=(stop,)) for reader in readers]
        threads.append(threading.Thread(target=readers[0].listen, args=(stop,)))
        for thread in threads:
            thread.start()
        end = time.monotonic() + seconds
        while time.monotonic() < end and process.poll() is None:
            writer.edit()
            findings.edits += 1
            status = Path(f"/proc/{process.pid}/status")
            if status.exists():
                findings.memory.append(float(re.search(r"VmRSS:\s+(\d+)", status.read_text("ascii"))[1]))  # type: ignore[index]
            time.sleep(writer.random.uniform(0, 0.1))
        stop.set()
        for thread in threads:
            thread.join(60)
        if not _heals(readers[0], writer.mend()):
            findings.wrong.append("not healed: " + readers[0].ask("about.html")[1][-500:])
        if process.poll() is not None:
            findings.wrong.append(f"ended with status {process.returncode}")
    return findings, log.read_text("utf-8")


def _heals(reader: Reader, shown: str) -> bool:
    """Say whether every page is sound again after a while, and shows what was written last."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if shown in reader.ask("about.html")[1] and all(reader.ask(path)[0] != 500 for path in PAGES):
            return True
        time.sleep(0.1)
    return False
