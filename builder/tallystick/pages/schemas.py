"""The JSON Schemas of reports and settings, for editors: `schema/report-1.json` and its like."""

from __future__ import annotations

import json
from functools import partial

from tallystick.board import Data, PageType, Site
from tallystick.schemas import SHAPES, file_name, schema


def documents(site: Site) -> tuple[Data, ...]:
    """Make one data file for each kind of file that people write."""
    base = site.settings.base_url
    return tuple(Data(file_name(kind), partial(_written, kind, base)) for kind in SHAPES)


def _written(kind: str, base: str | None) -> bytes:
    identity = {"$id": f"{base}/{file_name(kind)}"} if base else {}
    return (json.dumps({**identity, **schema(kind)}, indent=1, ensure_ascii=False) + "\n").encode()


PAGE = PageType("schemas", "JSON Schemas of reports and settings, for editors.", documents)
