"""What only the preview adds to pages: the script that reloads them, and the problems of what was written since."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from hashlib import sha256
from html import escape, unescape
from pathlib import Path

from tallystick.errors import Problem
from tallystick.serve.session import Page, State

OWN = "-/"
"""Where the server's own files lie, below the path of the site; no page can have this name."""

EVENTS = f"{OWN}events"
STYLE = re.compile(rb'(?<=<link rel="stylesheet" href=")([^"]*)(?=")')
FILES = {f"{OWN}{name}": Path(__file__).with_name(name) for name in ("reload.js", "preview.css")}


def own_file(path: str) -> bytes | None:
    """Return a file of the server's own, None where it has none of that name."""
    return FILES[path].read_bytes() if path in FILES else None


def with_script(page: Page, base: str) -> bytes:
    """Return a page with the reload script in its head; `base` is the path of the site."""
    told = look(page)
    tags = (
        f'<link rel="stylesheet" href="{escape(base + OWN)}preview.css" data-preview>'
        f'<script src="{escape(base + OWN)}reload.js" defer data-events="{escape(base + EVENTS)}"'
        f' data-digest="{told.digest}" data-rest="{told.rest}"></script>\n'
    ).encode()
    head, end, rest = page.content.partition(b"</head>")
    return head + tags + end + rest if end else page.content + tags


def nothing_yet(state: State) -> bytes:
    """Return the page that stands where there is none to show: the problems, as text that cannot be markup.

    Where there are none, the site is still being built, and the script loads the page again once it is.
    """
    title, told = "This page cannot be shown", "".join(f"<li>{escape(str(problem))}</li>" for problem in state.problems)
    if not told:
        title, told = "The site is being built", "<li>This page shows it as soon as it is there.</li>"
    policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{title}</title>\n</head>\n<body>\n"
        f'<main id="tallystick-problems"><h1>{title}</h1><ol>{told}</ol></main>\n</body>\n</html>\n'
    ).encode()


@dataclass(frozen=True, slots=True)
class Look:
    """What a browser must know of a page that it shows: whether it changed, and whether more than its styles did.

    `digest` names the page, `rest` all but where its style sheets are, and `styles` say that.
    """

    digest: str
    rest: str
    styles: tuple[str, ...]


def look(page: Page) -> Look:
    """Look at a page as a browser would, as far as style sheets are linked to in the usual way."""
    styles = tuple(unescape(found[1].decode("utf-8", "replace")) for found in STYLE.finditer(page.content))
    return Look(page.digest, sha256(STYLE.sub(b"", page.content)).hexdigest()[:32], styles)


def event(state: State, page: Page | None = None) -> bytes:
    """Return a state as a server-sent event, with how the listener's page looks in it.

    JSON has no line break that could end the event early.
    """
    told: dict[str, object] = {"problems": [_told(problem) for problem in state.problems]}
    if page is not None:
        told["page"] = asdict(look(page))
    return f"event: state\ndata: {json.dumps(told)}\n\n".encode()


def _told(problem: Problem) -> dict[str, str]:
    return {name: str(value).encode("utf-8", "replace").decode() for name, value in asdict(problem).items()}
