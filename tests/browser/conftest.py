"""A headless Chromium for the tests of this folder, and the made-up site in a folder and behind a small server.

Where there is no Chromium the tests are skipped and say so, unless `TALLYSTICK_REQUIRE_BROWSER` is set: then they fail.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import synthetic
from tallystick.export import export
from tallystick.present import present
from tallystick.publish import publish
from tallystick.render import render

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")  # two at once in one thread are more than Playwright allows
def browser() -> Iterator[Browser]:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    lacking = "no Chromium on this machine" if chromium is None else ""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        lacking = "Playwright is not installed"
    if lacking:
        if os.environ.get("TALLYSTICK_REQUIRE_BROWSER"):
            pytest.fail(lacking)
        pytest.skip(lacking)
    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The made-up site, whole, under `/project/` of a folder as a project's pages would be."""
    root = tmp_path_factory.mktemp("served")
    publish(render(export(present(synthetic.site(base_url="http://127.0.0.1/project")))), root / "project")
    return root / "project"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def served(built: Path) -> Iterator[str]:
    """The address of the made-up site under a sub-path."""
    handler = partial(_Quiet, directory=str(built.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/project/"
        server.shutdown()
        thread.join()
