"""`tallystick completion`: a script that lets a shell complete the commands and their options."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from tallystick.command import Command, Console


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "fish", "zsh"), metavar="SHELL", help="bash, fish or zsh")


def _run(options: Namespace, console: Console) -> int:
    from tallystick import commands
    from tallystick.completion import completion, subcommand
    from tallystick.registry import collect

    known = []
    for command in collect(commands, "COMMAND", Command):
        parser = ArgumentParser(command.name)
        command.arguments(parser)
        known.append(subcommand(command.name, command.summary, parser))
    console.say(completion(options.shell, known))
    return 0


COMMAND = Command(
    "completion",
    "print a completion script for a shell",
    "Print a script that completes commands, options and their choices. bash: `source <(tallystick completion bash)`; "
    "fish: `tallystick completion fish > ~/.config/fish/completions/tallystick.fish`; zsh: write it to a folder of "
    "$fpath as `_tallystick`.",
    _arguments,
    _run,
)
