"""`tallystick add`: from evaluation logs to reports."""

from __future__ import annotations

from argparse import Namespace

from tallystick.command import Command, Console
from tallystick.commands._adding import arguments, carry_out, settled


def _run(options: Namespace, console: Console) -> int:
    from tallystick import importing

    plan = importing.add(options.paths, options.root, **settled(options))  # type: ignore[arg-type]  # by keyword
    return carry_out(plan, options, console)


COMMAND = Command(
    "add",
    "make reports from evaluation logs",
    "Recognise evaluation logs by their content, say what was understood, and write sealed reports. A benchmark that "
    "does not exist yet is made from its first logs. Nothing is ever overwritten.",
    arguments,
    _run,
)
