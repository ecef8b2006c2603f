"""Write completion scripts for bash, zsh and fish from the parsers of the commands, so that they cannot fall behind.

A script is plain text that the shell reads once: completing starts no Python.
"""

from __future__ import annotations

import re
from argparse import Action, ArgumentParser
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

PROGRAM = "tallystick"


@dataclass(frozen=True, slots=True)
class Argument:
    """An option, or a positional where `flags` is empty, as a shell sees it; `files` says that a path may follow."""

    flags: tuple[str, ...]
    help: str
    takes_value: bool
    choices: tuple[str, ...]
    files: bool
    repeats: bool


@dataclass(frozen=True, slots=True)
class Subcommand:
    """A command's name, what it does, and its arguments."""

    name: str
    summary: str
    arguments: tuple[Argument, ...]

    @property
    def options(self) -> tuple[Argument, ...]:
        """Those that begin with a dash."""
        return tuple(argument for argument in self.arguments if argument.flags)

    @property
    def positionals(self) -> tuple[Argument, ...]:
        """Those that stand for themselves."""
        return tuple(argument for argument in self.arguments if not argument.flags)


def subcommand(name: str, summary: str, parser: ArgumentParser) -> Subcommand:
    """Read the arguments of a command from its parser."""
    return Subcommand(name, summary, tuple(_argument(action) for action in parser._actions))


def completion(shell: str, known: Iterable[Subcommand]) -> str:
    """Return the script for a shell, one of SHELLS."""
    return SHELLS[shell](sorted(known, key=lambda command: command.name))


def _argument(action: Action) -> Argument:
    text = " ".join((action.help or "").split()).replace("%(default)s", str(action.default)).replace("%%", "%")
    choices = tuple(str(choice) for choice in action.choices or ())
    takes_value = action.nargs != 0
    repeats = action.nargs in ("*", "+")
    return Argument(tuple(action.option_strings), text, takes_value, choices, action.type is Path, repeats)


# --- bash -----------------------------------------------------------------------------------------------------------


def _bash(known: list[Subcommand]) -> str:
    """Complete words only; where there is none, readline completes file names (`-o default`)."""
    names = " ".join(command.name for command in known)
    cases = "\n".join(line for command in known for line in _bash_cases(command))
    return f"""\
# Completion of {PROGRAM} for bash: source this file, or put it into bash-completion's folder as `{PROGRAM}`.
_{PROGRAM}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} command="" word words=""
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD - 1}}"; do
    if [[ $word != -* ]]; then command=$word; break; fi
  done
  case $command:$previous in
{cases}
    :*) words="{names} --help --version" ;;
  esac
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _{PROGRAM} {PROGRAM}
"""


def _bash_cases(command: Subcommand) -> Iterable[str]:
    for option in command.options:
        if option.takes_value:
            patterns = "|".join(f"{command.name}:{flag}" for flag in option.flags)
            yield f'    {patterns}) words="{" ".join(option.choices)}" ;;'
    flags = " ".join(flag for option in command.options for flag in option.flags)
    words = " ".join(choice for positional in command.positionals for choice in positional.choices)
    yield f'    {command.name}:*) if [[ $current == -* ]]; then words="{flags}"; else words="{words}"; fi ;;'


# --- zsh ------------------------------------------------------------------------------------------------------------


def _zsh(known: list[Subcommand]) -> str:
    names = " ".join(_quoted(f"{command.name}:{_colons(command.summary)}") for command in known)
    cases = "\n".join(f"    {command.name}) {_zsh_arguments(command)} ;;" for command in known)
    return f"""\
#compdef {PROGRAM}
# Completion of {PROGRAM} for zsh: put this file into a folder of $fpath as `_{PROGRAM}`.
_{PROGRAM}() {{
  local state line
  local -a commands=({names})
  _arguments -C '(- :)--help[say how it is used]' '(- :)--version[say which version this is]' '1:command:->command' \\
    '*::argument:->argument'
  case $state in
    command) _describe command commands; return ;;
    argument) ;;
    *) return ;;
  esac
  case $words[1] in
{cases}
  esac
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _{PROGRAM} "$@"; else compdef _{PROGRAM} {PROGRAM}; fi
"""


def _zsh_arguments(command: Subcommand) -> str:
    specifications = [_zsh_option(option) for option in command.options]
    specifications += [f"{'*' if argument.repeats else ''}:{_zsh_value(argument)}" for argument in command.positionals]
    return " ".join(["_arguments", *map(_quoted, specifications)])


def _zsh_option(option: Argument) -> str:
    flag = max(option.flags, key=len)  # the long one says all that a short one could
    text = re.sub(r"([\[\]])", r"\\\1", _colons(option.help))
    return f"{flag}[{text}]" + (f":{_zsh_value(option)}" if option.takes_value else "")


def _zsh_value(argument: Argument) -> str:
    if argument.choices:
        return f"value:({' '.join(argument.choices)})"
    return "path:_files" if argument.files else "value: "


def _colons(text: str) -> str:
    return text.replace(":", "\\:")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# --- fish -----------------------------------------------------------------------------------------------------------


def _fish(known: list[Subcommand]) -> str:
    lines = [
        f"# Completion of {PROGRAM} for fish: put this file into ~/.config/fish/completions as `{PROGRAM}.fish`.",
        f"complete -c {PROGRAM} -n __fish_use_subcommand -f -l help -d 'say how it is used'",
        f"complete -c {PROGRAM} -n __fish_use_subcommand -f -l version -d 'say which version this is'",
    ]
    for command in known:
        lines.append(
            f"complete -c {PROGRAM} -n __fish_use_subcommand -f -a {command.name} -d {_fished(command.summary)}"
        )
        lines += [_fish_argument(command.name, argument) for argument in command.arguments]
    return "\n".join(line for line in lines if line) + "\n"


def _fish_argument(command: str, argument: Argument) -> str:
    words = f"-a {_fished(' '.join(argument.choices))}" if argument.choices else ""
    if not argument.flags and not words:
        return ""  # fish offers files by itself
    parts = [f"complete -c {PROGRAM} -n '__fish_seen_subcommand_from {command}'"]
    parts += [f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in argument.flags]
    if words:
        parts.append(f"-x {words}" if argument.flags else f"-f {words}")
    elif argument.takes_value:
        parts.append("-r -F" if argument.files else "-x")
    parts.append(f"-d {_fished(argument.help)}")
    return " ".join(parts)


def _fished(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS: Mapping[str, Callable[[list[Subcommand]], str]] = {"bash": _bash, "fish": _fish, "zsh": _zsh}
