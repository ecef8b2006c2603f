"""JSON Schemas of what people write: a report, a benchmark's settings, the site's, a withdrawal.

They come from the models that validate, and are for editors and for whoever writes reports by program. A schema says
what one file may hold; what needs other files (samples, digests, the seal) is verified by `tallystick check` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from tallystick.schemas.report import ReportShape
from tallystick.settings.schema import BenchmarkShape, SiteShape
from tallystick.settings.withdrawals import WithdrawalShape

VERSION = 1
SHAPES: Mapping[str, type[BaseModel]] = {
    "report": ReportShape,
    "benchmark": BenchmarkShape,
    "site": SiteShape,
    "withdrawal": WithdrawalShape,
}
_NAMES = ("properties", "$defs")  # their keys are names of the file's own, not words of JSON Schema
_DATA = ("default", "enum", "const", "required")


def file_name(kind: str) -> str:
    """Return where a site has the schema of that kind."""
    return f"schema/{kind}-{VERSION}.json"


def schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of one kind of `SHAPES`."""
    shape = SHAPES[kind]
    found = _untitled(shape.model_json_schema(by_alias=True))
    if kind == "benchmark":
        found = _as_protocols_allow(found)
    title = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Tallystick {kind}, version {VERSION}",
    }
    return {**title, **found}


def _untitled(node: Any) -> Any:  # noqa: ANN401 - any part of a schema
    """Drop the titles that are only field names written otherwise."""
    if isinstance(node, list):
        return [_untitled(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: value for key, value in node.items() if key != "title" or not isinstance(value, str)}
    return {
        key: value
        if key in _DATA
        else {name: _untitled(inner) for name, inner in value.items()}
        if key in _NAMES
        else _untitled(value)
        for key, value in kept.items()
    }


def _as_protocols_allow(found: dict[str, Any]) -> dict[str, Any]:
    """Ask only native boards for what other protocols bring by themselves: metrics with titles, the samples' file."""
    definitions = found["$defs"]
    definitions["MetricShape"]["required"] = ["id"]
    definitions["SamplesShape"]["required"] = ["sha256"]
    native = {
        "required": ["metrics"],
        "properties": {"metrics": {"items": {"required": ["title"]}}, "samples": {"required": ["path"]}},
    }
    asked = [key for key in found["required"] if key != "metrics"]
    return {**found, "required": asked, "if": {"properties": {"protocol": {"const": "native"}}}, "then": native}
