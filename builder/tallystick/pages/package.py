"""A board as a data package: everything in one JSON file, how to cite it, a badge, and a table to embed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC
from functools import partial
from typing import Any

from tallystick import __version__, frozen, numerals
from tallystick.board import Board, Data, Document, Link, PageType, Site
from tallystick.inert import for_bibtex, plain
from tallystick.pages._frame import board_path, later, page, picture_path
from tallystick.pages._frozen import MARK, shelf_table
from tallystick.pages._picture import picture
from tallystick.pages._results import results_table
from tallystick.pages._words import recipe

BADGE_CHARACTER = 7
DESCRIPTION_AT_LEAST, DESCRIPTION_AT_MOST = 50, 5000
"""How long dataset search engines want a description."""


def documents(site: Site) -> tuple[Document | Data, ...]:
    """Make the package of each board."""
    made: list[Document | Data] = []
    for board in site.boards:
        made += [
            later(_in(board, "data.html"), "data.html", partial(_page, site, board)),
            later(_in(board, "embed.html"), "embed.html", partial(_embedded, site, board)),
            _badge(site, board),
            *_files(site, board),
        ]
        if path := picture_path(board):
            made.append(Data(path, partial(picture, board)))
    return tuple(made)


def _in(board: Board, name: str) -> str:
    return f"{board.benchmark.id}/{name}"


def _address(site: Site, board: Board) -> str | None:
    base = site.settings.base_url
    return f"{base}/{board_path(board)}" if base else None


def _page(site: Site, board: Board) -> Document:
    path = _in(board, "data.html")
    return page(
        site,
        path,
        "data.html",
        title="Data and citation",
        description=f"All numbers of {board.benchmark.title} as files, and how to cite them.",
        board=board,
        crumbs=(Link("Data and citation", path),),
        files=_listed(board),
        bibtex=_bibtex(site, board),
        shelf=shelf_table(board) if board.frozen else None,
        badge=_in(board, "badge.svg"),
        badge_text=_badge_text(board),
        embed=_in(board, "embed.html"),
        address=f"{site.settings.base_url}/" if site.settings.base_url else "",
        id=board.benchmark.id,
    )


def _listed(board: Board) -> tuple[tuple[Link, str], ...]:
    said = (
        ("board.json", "every number of every method, exact, with the digests that they follow from"),
        ("dataset.jsonld", "the same as a schema.org Dataset, for search engines and archives"),
        ("citation.cff", "how to cite the board, in the Citation File Format"),
        ("citation.bib", "how to cite the board, in BibTeX"),
    )
    return tuple((Link(name, _in(board, name)), what) for name, what in said)


def _files(site: Site, board: Board) -> tuple[Data, ...]:
    return (
        Data(_in(board, "board.json"), lambda: _json(_whole(board))),
        Data(_in(board, "dataset.jsonld"), lambda: _json(_dataset(site, board))),
        Data(_in(board, "citation.cff"), lambda: _citation(site, board).encode("utf-8")),
        Data(_in(board, "citation.bib"), lambda: _bibtex(site, board).encode("utf-8")),
    )


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=True, allow_nan=False) + "\n").encode("ascii")


def _whole(board: Board) -> dict[str, Any]:
    apart = [
        {"method": entry.method, "path": entry.report.path, "outcome": entry.outcome, "problems": len(entry.problems)}
        for entry in (*board.diagnostic, *board.refused)
    ]
    tool = f"Tallystick {__version__}"
    return {"format": "tallystick-board/1", "tool": tool, "table": frozen.table(board), "set_aside": apart}


def _dataset(site: Site, board: Board) -> dict[str, Any]:
    bench, base = board.benchmark, site.settings.base_url
    about = " ".join(filter(None, (_mark(board), bench.description, recipe(board))))
    if len(about) < DESCRIPTION_AT_LEAST:
        about += " Every number was recomputed from the samples of every report."
    dataset: dict[str, Any] = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": plain(bench.title),
        "description": plain(about)[:DESCRIPTION_AT_MOST],
        "identifier": f"sha256:{bench.samples.digest}",
        "creator": {"@type": "Organization", "name": plain(site.settings.title)},
        "isAccessibleForFree": True,
        "measurementTechnique": plain(recipe(board)),
        "variableMeasured": [
            {"@type": "PropertyValue", "propertyID": metric.id, "name": plain(metric.title)} for metric in bench.metrics
        ],
        "distribution": [
            {
                "@type": "DataDownload",
                "encodingFormat": "application/json",
                "contentUrl": f"{base}/{_in(board, 'board.json')}" if base else "board.json",
            }
        ],
    }
    if url := _address(site, board):
        dataset["url"] = url
    if released := _released(board):
        dataset["dateModified"] = released
    return dataset


def _mark(board: Board) -> str:
    return f"{MARK} {board.benchmark.diagnostic}" if board.benchmark.diagnostic else ""


def _released(board: Board) -> str | None:
    """Return the day on which the newest of the reports was finished: the site knows no other date of its numbers."""
    days = [entry.report.run.finished for entry in board.entries if entry.report.run.finished]
    return max(days).astimezone(UTC).date().isoformat() if days else None


def _citation(site: Site, board: Board) -> str:
    """Return the Citation File Format; every text is a double-quoted scalar, which YAML and JSON write alike."""
    message = " ".join(filter(None, ("Please cite this board, or better one of its frozen tables.", _mark(board))))
    fields = [("cff-version", "1.2.0"), ("message", message), ("type", "dataset"), ("title", board.benchmark.title)]
    if board.benchmark.description:
        fields.append(("abstract", board.benchmark.description))
    if url := _address(site, board):
        fields.append(("url", url))
    if released := _released(board):
        fields.append(("date-released", released))
    lines = [f"{name}: {_quoted(value)}" for name, value in fields]
    return "\n".join([*lines, "authors:", f"  - name: {_quoted(site.settings.title)}", ""])


def _quoted(text: str) -> str:
    return json.dumps(plain(text), ensure_ascii=False)


def _bibtex(site: Site, board: Board) -> str:
    bench, released, url = board.benchmark, _released(board), _address(site, board)
    note = " ".join(filter(None, (_mark(board), "A live board, which changes as reports come in.")))
    fields = [
        ("title", f"{{{for_bibtex(bench.title)}}}"),
        ("author", f"{{{for_bibtex(site.settings.title)}}}"),
        *([("year", released[:4])] if released else []),
        *([("url", url)] if url else []),
        ("note", for_bibtex(note)),
    ]
    return "\n".join([f"@misc{{{bench.id},", *(f"  {name} = {{{value}}}," for name, value in fields), "}", ""])


def _badge_text(board: Board) -> tuple[str, str]:
    shown = numerals.count(len(board.entries))
    what = "diagnostic" if board.benchmark.diagnostic else "verified"
    return plain(board.benchmark.title), f"{shown} {'method' if len(board.entries) == 1 else 'methods'} {what}"


def _badge(site: Site, board: Board) -> Document:
    left, right = _badge_text(board)
    widths = tuple(BADGE_CHARACTER * len(text) + 16 for text in (left, right))
    return page(
        site, _in(board, "badge.svg"), "badge.svg", title=f"{left}: {right}", description="",
        left=left, right=right, widths=widths, diagnostic=board.benchmark.diagnostic,
    )  # fmt: skip


def _embedded(site: Site, board: Board) -> Document:
    complete = tuple(entry for entry in board.entries if entry.complete)
    return page(
        site,
        _in(board, "embed.html"),
        "embed.html",
        title=board.benchmark.title,
        description=f"The table of {board.benchmark.title}, to be shown inside another page.",
        diagnostic=board.benchmark.diagnostic,
        table=results_table(board, complete),
        live=board_path(board),
    )


PAGE = PageType("package", "A board's data package: files, citation, badge and a table to embed.", documents)
