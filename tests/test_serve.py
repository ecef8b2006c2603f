"""Real requests on loopback: who may ask, what a path may name, how a site heals, and what a browser is told."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tallystick import serve
from tallystick.errors import Problem, SettingsError, UsageError
from tallystick.serve.answering import STREAMS

HOSTILE = '</script><img src=x onerror="alert(1)">'
PAGE = b"<!doctype html><html><head><title>x</title></head><body>%s</body></html>"
FILES = {
    "index.html": PAGE % b"start",
    "about.html": PAGE % b"about",
    "404.html": PAGE % b"no such page",
    "far/index.html": PAGE % b"board",
    "assets/style.0123456789ab.css": b"body{}",
    "far/data.csv": b"a,b\n",
}


class Made:
    """Pages from a dictionary; an exception in the place of bytes is raised when they are asked for."""

    def __init__(self, files: Mapping[str, bytes | Exception]) -> None:
        self.files = files

    def content(self, path: str) -> bytes | None:
        found = self.files.get(path)
        if isinstance(found, Exception):
            raise found
        return found


def wrong(where: str = "templates/about.html line 3") -> SettingsError:
    return SettingsError([Problem("template-fails", where, "a template", HOSTILE, "Mend it.")])


class Site:
    """A session whose next rebuild gives whatever the test wants."""

    def __init__(self) -> None:
        self.next: Mapping[str, bytes | Exception] | Exception = FILES
        self.asked: list[frozenset[Path]] = []
        self.told: list[str] = []
        self.session = serve.Session(self._rebuild, self.told.append)
        self.port = 0

    def _rebuild(self, changed: frozenset[Path]) -> Made:
        self.asked.append(changed)
        if isinstance(self.next, Exception):
            raise self.next
        return Made(self.next)

    def change(self, files: Mapping[str, bytes | Exception] | Exception, path: str = "content/about.md") -> None:
        self.next = files
        self.session.change((Path(path),))

    def ask(self, path: str, method: str = "GET", host: str | None = None, **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host or f"127.0.0.1:{self.port}")
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        response = connection.getresponse()
        response.body = response.read() if "event-stream" not in response.getheader("Content-Type", "") else b""  # type: ignore[attr-defined]
        connection.close()
        return response

    @staticmethod
    def digest(path: str, files: Mapping[str, bytes]) -> str:
        return sha256(files.get(path[1:], files["404.html"])).hexdigest()[:32]

    def raw(self, request: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            found = b""
            while part := connection.recv(65536):
                found += part
        return found


@contextmanager
def served(base: str = "/", addresses: tuple[str, ...] = ("127.0.0.1",)) -> Iterator[Site]:
    site = Site()
    servers = serve.listen(addresses, 0)
    serving = serve.Serving(servers, site.session, base)
    site.port = int(servers[0].server_address[1])
    serving.start()
    try:
        yield site
    finally:
        serving.stop()


@pytest.fixture
def site() -> Iterator[Site]:
    with served() as made:
        made.session.change(())
        yield made


# --- paths ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "status", "content"),
    [
        ("/", 200, b"start"),
        ("/index.html", 200, b"start"),
        ("/?query=1", 200, b"start"),
        ("/about", 200, b"about"),
        ("/far/", 200, b"board"),
        ("/%66ar/", 200, b"board"),
        ("/far/data.csv", 200, b"a,b\n"),
        ("/nowhere", 404, b"no such page"),
        ("/far/nowhere/", 404, b"no such page"),
    ],
)
def test_a_path_names_a_file_as_on_a_static_host(site: Site, path: str, status: int, content: bytes) -> None:
    answer = site.ask(path)
    assert answer.status == status
    assert content in answer.body  # type: ignore[attr-defined]


def test_a_forgotten_slash_is_added(site: Site) -> None:
    answer = site.ask("/far")
    assert (answer.status, answer.getheader("Location")) == (301, "/far/")


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/\\evil.com/%2f", "/%5Cevil.com/"),
        ("/%5cevil.com%2f", "/%5Cevil.com/"),
        ("/%2fevil.com%2f", "/evil.com/"),
        ("/%2f%2fevil.com%2f%2f", "/evil.com/"),
        ("/%2f", "/"),
    ],
)
def test_a_slash_is_added_on_this_host_only(site: Site, path: str, location: str) -> None:
    answer = site.ask(path)
    assert (answer.status, answer.getheader("Location")) == (301, location)


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd",
        "/far/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/far/%2e%2e/index.html",
        "/far/../index.html",
        "//etc/passwd",
        "/\\..\\..\\etc\\passwd",
        "/index.html%00.css",
        "/%ff%fe",
        "/assets/",
        "/-/",
        "/-/../index.html",
        "/-/serving.py",
        "/-/reload.js/",
        "http://127.0.0.1/index.html",
        "*",
    ],
)
def test_no_path_leads_out_of_the_site_or_lists_a_folder(site: Site, path: str) -> None:
    answer = site.ask(path)
    assert answer.status == 404
    assert b"no such page" in answer.body  # type: ignore[attr-defined]


def test_the_site_lives_below_its_base_path_only() -> None:
    with served("/repo/") as site:
        site.session.change(())
        assert b"start" in site.ask("/repo/").body  # type: ignore[attr-defined]
        assert site.ask("/repo/far").getheader("Location") == "/repo/far/"
        assert site.ask("/repo").getheader("Location") == "/repo/"
        assert b'src="/repo/-/reload.js"' in site.ask("/repo/about.html").body  # type: ignore[attr-defined]
        assert site.ask("/repo/-/reload.js").status == 200
        for outside in ("/", "/about.html", "/repository/", "/-/reload.js", "/repo/../about.html"):
            assert site.ask(outside).status == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
def test_only_get_and_head_are_answered(site: Site, method: str) -> None:
    answer = site.ask("/", method)
    assert (answer.status, answer.getheader("Allow")) == (405, "GET, HEAD")


def test_head_sends_what_get_would_without_the_content(site: Site) -> None:
    head, get = site.ask("/", "HEAD"), site.ask("/")
    assert head.body == b""  # type: ignore[attr-defined]
    assert dict(head.getheaders()) | {"Date": ""} == dict(get.getheaders()) | {"Date": ""}


def test_a_body_is_never_taken_for_a_second_request(site: Site) -> None:
    inner = b"GET /about.html HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % site.port
    length = b"Content-Length: %d\r\n\r\n" % len(inner)
    found = site.raw(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % site.port + length + inner)
    assert found.count(b"HTTP/1.1 ") == 1


# --- who asks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["127.0.0.1:PORT", "localhost:PORT", "LOCALHOST:PORT"])
def test_the_own_names_are_answered(site: Site, name: str) -> None:
    assert site.ask("/", host=name.replace("PORT", str(site.port))).status == 200


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
@pytest.mark.parametrize(
    "name",
    [
        "evil.example",
        "evil.example:PORT",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1.evil.example:PORT",
        "localhost.evil.example:PORT",
        "localhost.:PORT",
        "127.0.0.2:PORT",
        "0.0.0.0:PORT",
        "[::1]:PORT",
        "2130706433:PORT",
        "127.1:PORT",
        "user@127.0.0.1:PORT",
        " :PORT",
    ],
)
def test_a_name_of_another_is_refused(site: Site, name: str, method: str) -> None:
    answer = site.ask("/", method, host=name.replace("PORT", str(site.port)))
    assert answer.status == 403
    assert b"start" not in answer.body  # type: ignore[attr-defined]


def test_a_request_has_exactly_one_host(site: Site) -> None:
    own = b"Host: 127.0.0.1:%d\r\n" % site.port
    assert site.raw(b"GET / HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 403")
    assert site.raw(b"GET / HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 403")
    assert site.raw(b"GET / HTTP/1.1\r\n" + own + b"Host: evil.example\r\n\r\n").startswith(b"HTTP/1.1 403")
    assert site.raw(b"GET / HTTP/1.1\r\n" + own + b"\r\n").startswith(b"HTTP/1.1 200")


def test_on_all_interfaces_any_address_in_digits_is_answered_and_no_name() -> None:
    with served(addresses=("0.0.0.0",)) as site:
        site.session.change(())
        assert site.ask("/", host=f"192.168.1.5:{site.port}").status == 200
        assert site.ask("/", host=f"[fd00::5]:{site.port}").status == 200
        for name in ("evil.example", "192.168.1.5.evil.example", "[192.168.1.5]", "3232235781"):
            assert site.ask("/", host=f"{name}:{site.port}").status == 403


@pytest.mark.parametrize("path", ["/-/events", "/"])
@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1", "https://localhost:PORT", ""])
def test_pages_of_another_origin_are_told_nothing(site: Site, path: str, origin: str) -> None:
    answer = site.ask(path, Origin=origin.replace("PORT", str(site.port)))
    assert (answer.status, answer.getheader("Access-Control-Allow-Origin")) == (403, None)


@pytest.mark.parametrize("fetcher", ["cross-site", "same-site"])
def test_events_are_for_pages_of_this_server(site: Site, fetcher: str) -> None:
    assert site.ask("/-/events", Sec_Fetch_Site=fetcher).status == 403
    assert site.ask("/-/events", Sec_Fetch_Site="same-origin", Origin=f"http://localhost:{site.port}").status == 200


def test_what_is_sent_is_kept_by_nobody_and_embedded_by_nobody(site: Site) -> None:
    headers = site.ask("/").headers
    assert headers["Cache-Control"] == "no-store"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "SAMEORIGIN"


# --- where it listens -------------------------------------------------------------------------------------------------


def test_by_default_it_listens_on_this_machine_only() -> None:
    servers = serve.listen(serve.LOOPBACK, 0)
    try:
        addresses = {server.server_address[0] for server in servers}
        assert "127.0.0.1" in addresses <= {"127.0.0.1", "::1"}
        assert len({server.server_address[1] for server in servers}) == 1
    finally:
        for server in servers:
            server.server_close()


def test_a_port_that_is_taken_is_passed_over_unless_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    (taken,) = serve.listen(("127.0.0.1",), 0)
    port = int(taken.server_address[1])
    monkeypatch.setattr("tallystick.serve.serving.DEFAULT_PORT", port)
    try:
        (other,) = serve.listen(("127.0.0.1",), None)
        other.server_close()
        assert port < other.server_address[1] < port + 100
        with pytest.raises(UsageError, match="address-unusable"):
            serve.listen(("127.0.0.1",), port)
    finally:
        taken.server_close()


# --- healing ----------------------------------------------------------------------------------------------------------


def test_while_the_first_site_is_being_built_it_is_to_be_asked_for_later() -> None:
    with served() as site:
        for path in ("/", "/far/data.csv", "/assets/style.0123456789ab.css", "/nowhere"):
            answer = site.ask(path)
            assert (answer.status, answer.getheader("Retry-After")) == (503, "1")
            assert answer.getheader("Content-Type") == "text/html; charset=utf-8"
            text = answer.body.decode()  # type: ignore[attr-defined]
            assert "The site is being built" in text and "/-/reload.js" in text
        site.change(FILES)
        answer = site.ask("/")
        assert (answer.status, answer.getheader("Retry-After")) == (200, None)
        site.change(FILES)
        assert site.told == ["built: the site is shown"]


def test_before_the_first_site_a_page_says_what_is_wrong_and_it_heals() -> None:
    with served() as site:
        site.change(wrong())
        answer = site.ask("/")
        assert answer.status == 500
        text = answer.body.decode()  # type: ignore[attr-defined]
        assert "templates/about.html line 3" in text and "/-/reload.js" in text
        assert "<img" not in text and "&lt;img" in text
        site.change(FILES)
        assert site.ask("/").status == 200
        assert [line.split(":")[0] for line in site.told] == ["templates/about.html line 3", "mended"]


def test_a_change_that_cannot_be_built_leaves_the_last_good_site(site: Site) -> None:
    site.change(wrong("content/site.yaml line 2"), "content/site.yaml")
    assert b"about" in site.ask("/about.html").body  # type: ignore[attr-defined]
    (told,) = news(site, 1)
    assert [problem["where"] for problem in told["problems"]] == ["content/site.yaml line 2"]


def test_changes_that_could_not_be_built_are_made_up_for(site: Site) -> None:
    site.change(wrong(), "results/far/reports/a.json")
    site.change(FILES, "content/about.md")
    assert site.asked[-1] == {Path("results/far/reports/a.json"), Path("content/about.md")}
    site.change(FILES, "templates/x.html")
    assert site.asked[-1] == {Path("templates/x.html")}


def test_a_page_that_cannot_be_rendered_stays_as_it_was_and_others_go_on(site: Site) -> None:
    site.ask("/about.html")
    site.change(FILES | {"about.html": wrong(), "far/index.html": PAGE % b"new board"})
    assert b">about<" in site.ask("/about.html").body  # type: ignore[attr-defined]
    assert b"new board" in site.ask("/far/").body  # type: ignore[attr-defined]
    (told,) = news(site, 1)
    assert [problem["code"] for problem in told["problems"]] == ["template-fails"]
    site.change(FILES | {"about.html": PAGE % b"healed"})
    assert b"healed" in site.ask("/about.html").body  # type: ignore[attr-defined]
    assert news(site, 1)[0]["problems"] == []


def test_our_own_fault_is_no_crash(site: Site) -> None:
    site.change(ZeroDivisionError("oops"))
    assert site.ask("/").status == 200
    assert news(site, 1)[0]["problems"][0]["code"] == "internal-error"
    assert "ZeroDivisionError: oops" in "".join(site.told)


def test_memory_that_is_exhausted_is_nobody_s_fault(site: Site) -> None:
    site.change(MemoryError())
    assert site.ask("/").status == 200
    assert news(site, 1)[0]["problems"][0]["code"] == "memory-exhausted"
    assert "Traceback" not in "".join(site.told)


def test_a_page_that_went_is_not_found(site: Site) -> None:
    assert site.ask("/about.html").status == 200
    site.change({path: content for path, content in FILES.items() if path != "about.html"})
    assert site.ask("/about.html").status == 404


# --- what a browser is told -------------------------------------------------------------------------------------------


def news(
    site: Site,
    count: int,
    change: Any = None,  # noqa: ANN401 - a function of no argument
    page: str = "/about.html",
) -> list[dict[str, Any]]:
    """Listen to the stream as a page would until so many states came; `change` is called after the first."""
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=10)
    connection.request("GET", f"/-/events?{quote(page, safe='')}")
    stream, found = connection.getresponse(), []
    assert stream.getheader("Content-Type") == "text/event-stream"
    while len(found) < count:
        line = stream.readline().decode()
        if line.startswith("data: "):
            found.append(json.loads(line[6:]))
            if change and len(found) == 1:
                change()
    connection.close()
    return found


def test_a_change_is_told_at_once_with_what_it_makes_of_the_page(site: Site) -> None:
    other = FILES | {"about.html": PAGE % b"other"}
    first, second = news(site, 2, lambda: site.change(other))
    assert first["page"]["digest"] == site.digest("/about.html", FILES)
    assert second["page"]["digest"] == site.digest("/about.html", other) != first["page"]["digest"]
    assert first["page"]["rest"] != second["page"]["rest"]
    same, still = news(site, 2, lambda: site.change(other))
    assert same == still


def test_a_page_of_which_only_styles_changed_says_so(site: Site) -> None:
    head = (
        b'<!doctype html><html><head><link rel="stylesheet" href="../assets/a&amp;%s.css"></head><body></body></html>'
    )
    site.change(FILES | {"far/index.html": head % b"1"})
    first, second = news(site, 2, lambda: site.change(FILES | {"far/index.html": head % b"2"}), "/far/")
    assert first["page"]["styles"] == ["../assets/a&1.css"]
    assert second["page"]["styles"] == ["../assets/a&2.css"]
    assert first["page"]["rest"] == second["page"]["rest"]
    assert first["page"]["digest"] != second["page"]["digest"]


@pytest.mark.parametrize("address", ["/nowhere", "/../etc/passwd", "http://evil.example/", "%ff", ""])
def test_who_asks_from_no_page_is_told_of_the_one_that_says_so(site: Site, address: str) -> None:
    (told,) = news(site, 1, page=address)
    assert told["page"]["digest"] == site.digest("/nowhere", FILES)


def test_where_a_page_went_nothing_is_told_of_it(site: Site) -> None:
    first, second = news(site, 2, lambda: site.change({"index.html": PAGE % b"start"}))
    assert "page" in first and "page" not in second


def test_a_page_that_cannot_be_rendered_is_told_once_with_the_problem(site: Site) -> None:
    first, second = news(site, 2, lambda: site.change(FILES | {"about.html": wrong()}))
    assert first["page"] == second["page"]
    assert [problem["code"] for problem in second["problems"]] == ["template-fails"]


def test_problems_cannot_end_an_event_or_become_markup(site: Site) -> None:
    site.change(wrong("a\n\ndata: {}\n\r\u2028</script>\ud800"))
    (told,) = news(site, 1)
    assert told["problems"][0]["where"] == "a\n\ndata: {}\n\r\u2028</script>?"
    assert told["problems"][0]["found"] == HOSTILE


class _Scripts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "script":
            self.found.append(dict(attrs))


def test_a_page_knows_what_it_is_and_need_not_be_sent_again_if_it_did_not_change(site: Site) -> None:
    page = site.ask("/about.html")
    parser = _Scripts()
    parser.feed(page.body.decode())  # type: ignore[attr-defined]
    (script,) = parser.found
    assert script["src"] == "/-/reload.js" and script["data-events"] == "/-/events"
    (told,) = news(site, 1)
    assert told["page"] == {"digest": script["data-digest"], "rest": script["data-rest"], "styles": []}
    tag = f'"{script["data-digest"]}"'
    assert page.getheader("Etag") == tag
    site.change(FILES | {"far/index.html": PAGE % b"other"})
    assert site.ask("/about.html", "HEAD", If_None_Match=tag).status == 304
    site.change(FILES | {"about.html": PAGE % b"other"})
    assert site.ask("/about.html", "HEAD", If_None_Match=tag).status == 200


def test_only_pages_get_the_script(site: Site) -> None:
    for path in ("/far/data.csv", "/assets/style.0123456789ab.css"):
        assert site.ask(path).body == FILES[path[1:]]  # type: ignore[attr-defined]


def test_browsers_that_hang_up_make_room_for_others(site: Site) -> None:
    before = threading.active_count()
    for _ in range(3 * STREAMS):
        assert news(site, 1)
        if threading.active_count() - before > STREAMS // 2:
            deadline = threading.Event()
            while threading.active_count() - before > 4:
                deadline.wait(0.05)
    assert news(site, 1)
