"""Strict parsing: everything on which two parsers could disagree is refused, with file, line or JSON pointer.

JSON, JSON Lines and CSV raise `Refusal`; YAML, which only settings are written in, raises `SettingsError`.
"""

from tallystick.strict.csvs import csv_rows
from tallystick.strict.jsons import describe, json_document, json_lines, json_object, pointer
from tallystick.strict.node import Node, line_nodes
from tallystick.strict.plain import MOST_COUNTED, capped, text
from tallystick.strict.yamls import YamlDocument, yaml_document

__all__ = [
    "MOST_COUNTED",
    "Node",
    "YamlDocument",
    "capped",
    "csv_rows",
    "describe",
    "json_document",
    "json_lines",
    "json_object",
    "line_nodes",
    "pointer",
    "text",
    "yaml_document",
]
