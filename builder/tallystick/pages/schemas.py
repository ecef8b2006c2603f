"""The JSON Schemas of reports and settings, for editors: `schema/report-1.json` and its like."""

from __future__ import annotations

import json

from tallystick.board import File, PageType, Site
from tallystick.schemas import SHAPES, file_name, schema


def documents(site: Site) -> tuple[File, ...]:
    """Make one data file for each kind of file that people write."""
    base = site.settings.base_url
    return tuple(_file(kind, {"$id": f"{base}/{file_name(kind)}"} if base else {}) for kind in SHAPES)


def _file(kind: str, identity: dict[str, str]) -> File:
    content = json.dumps({**identity, **schema(kind)}, indent=1, ensure_ascii=False) + "\n"
    return File(file_name(kind), content.encode())


PAGE = PageType("schemas", "JSON Schemas of reports and settings, for editors.", documents)
