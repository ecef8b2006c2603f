"""Write what the documentation takes from the program: keys from its models, commands from its parsers, page types.

Run `python docs/generate.py` after changing either. What is generated stands between two comments, `generated: NAME`
and `end`; a test fails where it is not what this script would write.
"""

from __future__ import annotations

import re
from argparse import Action, ArgumentParser, _SubParsersAction
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any

from tallystick import commands, pages
from tallystick.board import PageType
from tallystick.cli import parser
from tallystick.command import Command
from tallystick.registry import collect
from tallystick.schemas import schema
from tallystick.settings.schema import ProseShape

HERE = Path(__file__).parent
_BLOCK = re.compile(r"(<!-- generated: ([a-z -]+) -->\n).*?(<!-- end -->\n)", re.DOTALL)
_WORDS = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "null": "null"}
_PATTERNS = (
    ("^[0-9a-f]{64}$", "SHA-256, 64 hexadecimal digits"),
    ("^https://", "https address"),
    ("^[a-z0-9]", "id"),
    ("^\\d{4}", "date and time with its zone"),
    ("^[0-9]{4}", "date, YYYY-MM-DD"),
    ("^(https://", "https address or path of the site"),
)


def main() -> None:
    """Write every page anew."""
    for page in sorted(HERE.glob("*.md")):
        text = page.read_text("utf-8")
        if (made := generated(text)) != text:
            page.write_text(made, "utf-8")


def generated(text: str) -> str:
    """Return a page with its generated parts as they must be."""
    return _BLOCK.sub(lambda found: f"{found[1]}\n{BLOCKS[found[2]]().strip()}\n\n{found[3]}", text)


# --- keys -------------------------------------------------------------------------------------------------------------


def keys(found: dict[str, Any]) -> str:
    """Return a table for a schema, and one for each kind of object inside it, in the order in which they occur."""
    definitions = found.get("$defs", {})
    asked = {**found.get("then", {}).get("properties", {})}
    lines: list[str] = []
    waiting = [("", found, set(found.get("required", ())) | set(found.get("then", {}).get("required", ())))]
    seen: set[str] = set()
    while waiting:
        path, node, required = waiting.pop(0)
        if path:
            lines += ["", f"**`{path}`**: {node['description']}", ""]
        lines += ["| key | value | if absent | meaning |", "|---|---|---|---|"]
        for key, value in node["properties"].items():
            meaning = _meaning(value, definitions)
            lines.append(f"| `{key}` | {_type(value)} | {_default(key, value, required)} | {meaning} |")
            for inner, name in _inside(value, f"{path}.{key}" if path else key):
                if name not in seen:
                    seen.add(name)
                    part = asked.get(key, {})
                    more = {*part.get("required", ()), *part.get("items", {}).get("required", ())}
                    waiting.append((inner, definitions[name], {*definitions[name].get("required", ()), *more}))
    return "\n".join(lines)


def _meaning(value: dict[str, Any], definitions: dict[str, Any]) -> str:
    told = value.get("description") or definitions[value["$ref"].rpartition("/")[2]]["description"]
    return str(told).replace("|", "\\|")


def _default(key: str, value: dict[str, Any], required: set[str]) -> str:
    if key in required:
        return "**must be there**"
    default = value.get("default")
    if default in (None, "", [], {}) and default is not False:
        return ""
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"


def _type(value: dict[str, Any]) -> str:
    if "anyOf" in value:
        return " or ".join(dict.fromkeys(_type(option) for option in value["anyOf"]))
    if "$ref" in value:
        return "keys"
    if "const" in value:
        return f"`{value['const']}`"
    if "enum" in value:
        return ", ".join(f"`{word}`" for word in value["enum"])
    if value.get("type") == "array":
        return f"list of {_type(value['items'])}"
    if value.get("type") == "object":
        inner = value.get("additionalProperties")
        return f"keys with {_type(inner)}" if isinstance(inner, dict) and "properties" not in value else "keys"
    named = next((word for start, word in _PATTERNS if value.get("pattern", "").startswith(start)), None)
    kinds = value.get("type", "any value")
    words = named or " or ".join(_WORDS.get(kind, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds))
    return words + _limits(value)


def _limits(value: dict[str, Any]) -> str:
    bounds = [("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"), ("exclusiveMaximum", "<")]
    told = [f"{sign} {value[key]:,}".removesuffix(".0") for key, sign in bounds if key in value]
    told += [f"at most {value['maxLength']} characters"] if "maxLength" in value else []
    return f" ({', '.join(told)})" if told else ""


def _inside(value: dict[str, Any], path: str) -> Iterator[tuple[str, str]]:
    """Yield the objects that a value may hold: where they stand, and the name of their definition."""
    if "$ref" in value:
        yield path, value["$ref"].rpartition("/")[2]
    for option in value.get("anyOf", ()):
        yield from _inside(option, path)
    if isinstance(value.get("items"), dict):
        yield from _inside(value["items"], f"{path}[]")
    if isinstance(value.get("additionalProperties"), dict):
        yield from _inside(value["additionalProperties"], f"{path}.*")


# --- commands ---------------------------------------------------------------------------------------------------------


def all_commands() -> str:
    """Return a section for each command, from its parser."""
    known = collect(commands, "COMMAND", Command)
    top = parser(tuple(known))
    (choices,) = [action.choices for action in top._actions if isinstance(action, _SubParsersAction)]
    return "\n\n".join(_command(command, choices[command.name]) for command in known)


def _command(command: Command, parsed: ArgumentParser) -> str:
    actions = [action for action in parsed._actions if action.dest != "help"]
    usage = " ".join(["tallystick", command.name, *(_usage(action) for action in actions)])
    rows = [f"| `{_named(action)}` | {_help(action)} |" for action in actions]
    table = ["", "| argument | meaning |", "|---|---|", *rows] if rows else []
    return "\n".join([f"## {command.name}", "", command.description, "", "```", *_folded(usage), "```", *table])


def _usage(action: Action) -> str:
    shown = _named(action)
    if action.option_strings:
        return f"[{shown}]" if not action.required else shown
    return {"*": f"[{shown} …]", "+": f"{shown} …", "?": f"[{shown}]"}.get(str(action.nargs), shown)


def _named(action: Action) -> str:
    value = "" if action.nargs == 0 else str(action.metavar or action.dest.upper())
    return " ".join(filter(None, [action.option_strings[-1] if action.option_strings else "", value]))


def _help(action: Action) -> str:
    chosen = ", ".join(f"`{choice}`" for choice in action.choices or ())
    told = str(action.help or "").replace("|", "\\|").replace("%%", "%")
    return f"{told}: {chosen}" if chosen and not action.metavar else told


def _folded(usage: str) -> list[str]:
    whole = re.sub(r"\[[^]]*\]", lambda part: part[0].replace(" ", "\0"), usage)
    return [line.replace("\0", " ") for line in wrap(whole, 100, subsequent_indent="    ", break_on_hyphens=False)]


def page_types() -> str:
    """Return a table of the kinds of pages that a site has."""
    rows = [f"| `{one.id}` | {one.description} |" for one in collect(pages, "PAGE", PageType)]
    return "\n".join(["| page type | what it is |", "|---|---|", *rows])


BLOCKS: dict[str, Callable[[], str]] = {
    "site": lambda: keys(schema("site")),
    "benchmark": lambda: keys(schema("benchmark")),
    "withdrawal": lambda: keys(schema("withdrawal")),
    "front matter": lambda: keys(ProseShape.model_json_schema()),
    "report": lambda: keys(schema("report")),
    "commands": all_commands,
    "pages": page_types,
}


if __name__ == "__main__":
    main()
