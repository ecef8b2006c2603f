"""Answer one request: is it meant for this server, which file does its path name, and what goes with it."""

from __future__ import annotations

import re
import select
import socket
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from threading import BoundedSemaphore
from typing import ClassVar
from urllib.parse import quote, unquote

from tallystick.serve import showing
from tallystick.serve.hosts import Hosts
from tallystick.serve.session import Page, Session

MISSING_PAGE = "404.html"
STREAMS = 64
"""Browsers that may wait for news at a time."""

LOOK = 1.0
HEARTBEAT = 15
"""Looks after which a stream that has no news sends a sign of life."""

TYPES = {
    "bib": "text/plain; charset=utf-8",
    "cff": "text/plain; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "ico": "image/vnd.microsoft.icon",
    "jpg": "image/jpeg",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "jsonld": "application/ld+json",
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml",
    "tex": "text/plain; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "webp": "image/webp",
    "woff2": "font/woff2",
    "xml": "application/xml",
}
HTML = TYPES["html"]


@dataclass(frozen=True, slots=True)
class House:
    """What every request is answered from: `base` is the path of the site, with a slash at both ends."""

    session: Session
    hosts: Hosts
    base: str
    streams: BoundedSemaphore


@dataclass(frozen=True, slots=True)
class _Found:
    """What is at an address: a file by its path, or without a page, nothing, or another address in `path`."""

    status: HTTPStatus
    path: str = ""
    page: Page | None = None


class Answering(BaseHTTPRequestHandler):
    """Answers GET and HEAD."""

    protocol_version = "HTTP/1.1"
    server_version = "tallystick"
    sys_version = ""
    timeout = 60
    disable_nagle_algorithm = True
    house: ClassVar[House]

    def do_GET(self) -> None:
        """Answer with a file, or with the stream of events."""
        self._answer()

    def do_HEAD(self) -> None:
        """Answer as to GET, without the content."""
        self._answer()

    def _refuse_method(self) -> None:
        self.close_connection = True
        if self._is_meant():
            self._send(HTTPStatus.METHOD_NOT_ALLOWED, b"Only GET and HEAD are answered.\n", allow="GET, HEAD")

    do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_TRACE = do_CONNECT = _refuse_method

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing: what was asked for is no news."""

    # --- who asks -----------------------------------------------------------------------------------------------------

    def _is_meant(self) -> bool:
        """Say whether the request names this server and comes from no page of another site; else refuse it."""
        hosts, named = self.house.hosts, self.headers.get_all("Host") or []
        origins = self.headers.get_all("Origin") or []
        if self.headers.get("Content-Length", "0") != "0" or self.headers.get("Transfer-Encoding"):
            self.close_connection = True  # what follows is no request
        if len(named) == 1 and hosts.allows(named[0]) and all(map(hosts.allows_origin, origins)):
            return True
        self.close_connection = True
        self._send(HTTPStatus.FORBIDDEN, b"This server answers only to its own address, and to its own pages.\n")
        return False

    # --- what is asked ------------------------------------------------------------------------------------------------

    def _answer(self) -> None:
        if not self._is_meant():
            return
        asked, _, query = self.path.partition("?")
        path = self._below(asked)
        if path == showing.EVENTS:
            self._stream(unquote(query))
        elif path is not None and (own := showing.own_file(path)) is not None:
            self._send(HTTPStatus.OK, own, type_of(path))
        else:
            self._page(self._found(asked))

    def _below(self, asked: str) -> str | None:
        """Return the path below the site's own; None where it lies outside, or is no path."""
        base = self.house.base
        if asked == base.rstrip("/") and asked:
            return ""
        try:
            return unquote(asked.removeprefix(base), errors="strict") if asked.startswith(base) else None
        except UnicodeDecodeError:
            return None

    def _found(self, asked: str) -> _Found:
        """Find what a static host would: an index for a folder, a slash that was forgotten, `.html` left out."""
        page, path = self.house.session.page, self._below(asked)
        if path is None:
            return self._missing()
        if path == "" or path.endswith("/"):
            if not asked.endswith("/"):
                return self._moved(path)
            return self._sound(f"{path}index.html", page(f"{path}index.html"))
        if (found := page(path)) is not None:
            return self._sound(path, found)
        if page(f"{path}/index.html") is not None:
            return self._moved(path)
        return self._sound(f"{path}.html", page(f"{path}.html"))

    def _moved(self, path: str) -> _Found:
        """Send to the address of a folder; with two slashes or a backslash in front, it would be on another host."""
        return _Found(HTTPStatus.MOVED_PERMANENTLY, re.sub("/+", "/", f"{self.house.base}{quote(path)}/"))

    def _missing(self) -> _Found:
        found = self.house.session.page(MISSING_PAGE)
        if found is None:
            return _Found(HTTPStatus.NOT_FOUND)
        return self._sound(MISSING_PAGE, found, HTTPStatus.NOT_FOUND)

    def _sound(self, path: str, page: Page | None, status: HTTPStatus = HTTPStatus.OK) -> _Found:
        """Put in the place of a page that only says that there is none what is to be seen instead."""
        if page is None:
            return self._missing()
        if page.sound:
            return _Found(status, path, page)
        failed = HTTPStatus.INTERNAL_SERVER_ERROR if page.state.problems else HTTPStatus.SERVICE_UNAVAILABLE
        return _Found(failed, MISSING_PAGE, Page(showing.nothing_yet(page.state), page.state))

    # --- what is sent -------------------------------------------------------------------------------------------------

    def _page(self, found: _Found) -> None:
        if found.page is None:
            if found.status == HTTPStatus.NOT_FOUND:
                self._send(found.status, b"There is no page at this address.\n")
            else:
                self._send(found.status, b"", location=found.path)
            return
        tag = f'"{found.page.digest}"'
        if self.headers.get("If-None-Match") == tag:
            self._send(HTTPStatus.NOT_MODIFIED, b"", etag=tag)
            return
        kind = type_of(found.path)
        content = showing.with_script(found.page, self.house.base) if kind == HTML else found.page.content
        later = {"retry_after": "1"} if found.status == HTTPStatus.SERVICE_UNAVAILABLE else {}
        self._send(found.status, content, kind, etag=tag, **later)

    def _send(self, status: HTTPStatus, content: bytes, kind: str = "text/plain", **more: str) -> None:
        self.send_response(status)
        if status != HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
        self._send_common(more)
        if self.command != "HEAD":
            self.wfile.write(content)

    def _send_common(self, more: dict[str, str]) -> None:
        for name, value in more.items():
            self.send_header(name.replace("_", "-").title(), value)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "SAMEORIGIN")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()

    # --- news ---------------------------------------------------------------------------------------------------------

    def _stream(self, asked: str) -> None:
        """Send the state, and every new one, with what is at the address `asked` then, until the browser hangs up."""
        if self.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
            self.close_connection = True
            self._send(HTTPStatus.FORBIDDEN, b"Only pages of this server are told what changes.\n")
            return
        if not self.house.streams.acquire(blocking=False):
            self._send(HTTPStatus.SERVICE_UNAVAILABLE, b"Too many browsers wait already.\n")
            return
        try:
            self.close_connection = True
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "text/event-stream")
            self._send_common({})
            if self.command != "HEAD":
                self._tell_news(asked)
        finally:
            self.house.streams.release()

    def _tell_news(self, asked: str) -> None:
        session, seen, silent = self.house.session, None, 0
        while not session.closed and not _hung_up(self.connection):
            state = session.wait(seen, LOOK)
            if state != seen:
                page = self._found(asked).page
                seen, silent = page.state if page else state, 0
                self.wfile.write(showing.event(seen, page))
            elif silent >= HEARTBEAT:
                self.wfile.write(b": still here\n\n")
                silent = 0
            silent += 1


def type_of(path: str) -> str:
    """Return the media type of a path, by the end of its name."""
    return TYPES.get(path.rpartition(".")[2], "application/octet-stream")


def _hung_up(connection: socket.socket) -> bool:
    """Say whether the other side has closed its end."""
    try:
        readable, _, _ = select.select([connection], [], [], 0)
        return bool(readable) and connection.recv(1, socket.MSG_PEEK) == b""
    except (OSError, ValueError):
        return True
