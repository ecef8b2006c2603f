"""`tallystick schema`: print the JSON Schema of a file that people write."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from tallystick.command import Command, Console


def _arguments(parser: ArgumentParser) -> None:
    kinds = ("report", "benchmark", "site", "withdrawal")
    parser.add_argument("kind", choices=kinds, metavar="KIND", help=f"one of {', '.join(kinds)}")


def _run(options: Namespace, console: Console) -> int:
    import json

    from tallystick.schemas import schema

    console.say(json.dumps(schema(options.kind), indent=1, ensure_ascii=False) + "\n")
    return 0


COMMAND = Command(
    "schema",
    "print the JSON Schema of a report or of settings",
    "Print the JSON Schema of a native report, of benchmark.yaml, of site.yaml or of a withdrawal, for editors and for "
    "programs that write them. Every site has them, too, below schema/.",
    _arguments,
    _run,
)
