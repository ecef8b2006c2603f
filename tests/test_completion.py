"""Each shell completes what the parsers say: commands, options, choices."""

from __future__ import annotations

import shutil
import subprocess
from argparse import ArgumentParser
from pathlib import Path

import pytest

from tallystick import commands
from tallystick.cli import main
from tallystick.command import Command
from tallystick.completion import completion, subcommand
from tallystick.registry import collect


def script(shell: str, folder: Path) -> Path:
    """Write a shell's script for two made-up commands, with characters that shells care about in their help."""
    show = ArgumentParser()
    show.add_argument("shape", choices=("round", "square"), help="it's a shape")
    show.add_argument("--as", "-a", choices=("text", "json"), help="how [much]: 'quoted' $(touch owned)")
    show.add_argument("--out", type=Path, help="100%% of it")
    hide = ArgumentParser()
    hide.add_argument("files", nargs="*", type=Path)
    path = folder / f"script.{shell}"
    known = [subcommand("show", "show: a thing's [shape]", show), subcommand("hide", "hide it", hide)]
    path.write_text(completion(shell, known), "utf-8")
    return path


def run(shell: str, *arguments: str) -> str:
    """Run a shell without its settings, or skip where it is absent."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed here")
    return subprocess.run([shell, *arguments], capture_output=True, text=True, check=True).stdout


def bash(path: Path, *words: str) -> list[str]:
    """Return what bash offers for the last of the words."""
    line = " ".join(f"'{word}'" for word in words)
    code = f'source "$1"; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _tallystick; echo "${{COMPREPLY[@]}}"'
    return run("bash", "--norc", "-euc", code, "bash", str(path)).split()


def fish(path: Path, line: str) -> list[str]:
    """Return what fish offers at the end of a line."""
    out = run("fish", "--no-config", "-c", f"source {path}; complete -C '{line}'")
    return [offer.partition("\t")[0] for offer in out.splitlines()]


def test_bash_offers_commands_options_and_choices(tmp_path: Path) -> None:
    path = script("bash", tmp_path)
    assert bash(path, "tallystick", "") == ["hide", "show", "--help", "--version"]
    assert bash(path, "tallystick", "s") == ["show"]
    assert bash(path, "tallystick", "show", "--") == ["--help", "--as", "--out"]
    assert bash(path, "tallystick", "show", "--as", "") == ["text", "json"]
    assert bash(path, "tallystick", "show", "-a", "j") == ["json"]
    assert bash(path, "tallystick", "show", "s") == ["square"]
    assert bash(path, "tallystick", "show", "--out", "") == bash(path, "tallystick", "hide", "") == []
    assert list(tmp_path.iterdir()) == [path]


def test_fish_offers_commands_options_and_choices(tmp_path: Path) -> None:
    path = script("fish", tmp_path)
    assert fish(path, "tallystick s") == ["show"]
    assert fish(path, "tallystick show --") == ["--as", "--help", "--out"]
    assert fish(path, "tallystick show --as ") == ["json", "text"]
    assert fish(path, "tallystick show ") == ["round", "square"]
    assert fish(path, "tallystick hide --out ") != ["json", "text"]
    assert list(tmp_path.iterdir()) == [path]


def test_zsh_hands_the_right_arguments_to_its_own_completion(tmp_path: Path) -> None:
    path = script("zsh", tmp_path)
    code = (
        "compdef() { }; _arguments() { if [[ $1 == -C ]]; then state=argument; else print -rl -- $@; fi }; "
        'source "$1"; words=(show); _tallystick'
    )
    offered = run("zsh", "-f", "-c", code, "zsh", str(path)).splitlines()
    assert "--as[how \\[much\\]\\: 'quoted' $(touch owned)]:value:(text json)" in offered
    assert "--out[100% of it]:path:_files" in offered
    assert ":value:(round square)" in offered
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_every_command_and_option_is_in_the_printed_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    out = capsys.readouterr().out
    for command in collect(commands, "COMMAND", Command):
        parser = ArgumentParser()
        command.arguments(parser)
        assert command.name in out
        for action in parser._actions:
            for flag in action.option_strings:
                assert (flag if shell != "fish" else f"-l {flag[2:]}") in out or flag == "-h"
