"""What only the preview adds to pages: the script that reloads them, and the problems of what was written since."""

from __future__ import annotations

import json
from dataclasses import asdict
from html import escape
from pathlib import Path

from tallystick.errors import Problem
from tallystick.serve.session import Page, State

OWN = "-/"
"""Where the server's own files lie, below the path of the site; no page can have this name."""

EVENTS = f"{OWN}events"
FILES = {f"{OWN}{name}": Path(__file__).with_name(name) for name in ("reload.js", "preview.css")}


def own_file(path: str) -> bytes | None:
    """Return a file of the server's own, None where it has none of that name."""
    return FILES[path].read_bytes() if path in FILES else None


def with_script(page: Page, base: str) -> bytes:
    """Return a page with the reload script in its head; `base` is the path of the site."""
    tags = (
        f'<link rel="stylesheet" href="{escape(base + OWN)}preview.css">'
        f'<script src="{escape(base + OWN)}reload.js" defer data-events="{escape(base + EVENTS)}"'
        f' data-generation="{page.state.generation}" data-digest="{page.digest}"></script>\n'
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


def event(state: State) -> bytes:
    """Return a state as a server-sent event. JSON has no line break that could end the event early."""
    told = {"generation": state.generation, "problems": [_told(problem) for problem in state.problems]}
    return f"event: state\ndata: {json.dumps(told)}\n\n".encode()


def _told(problem: Problem) -> dict[str, str]:
    return {name: str(value).encode("utf-8", "replace").decode() for name, value in asdict(problem).items()}
