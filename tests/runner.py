"""A workflow runner small enough to read: it runs the steps of a job, and sees commands where GitHub's runner does.

Actions are played by functions; `${{ … }}` is looked up in a table, never computed, but for conditions on inputs. The
rules by which a line of output becomes a command are those of the runner's own parser: `::name …::` after leading
space, or `##[name …]` anywhere, if the name is known, unless commands are stopped.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

COMMANDS = {
    *("add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "error", "group", "internal-set-repo-path"),
    *("notice", "remove-matcher", "save-state", "set-env", "set-output", "stop-commands", "warning"),
}
SUMMARY = "GITHUB_STEP_SUMMARY"
FILES = (SUMMARY, "GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE")
Actions = Mapping[str, Callable[[Mapping[str, str]], None]]


@dataclass(frozen=True)
class Command:
    """A command that the runner would obey."""

    name: str
    properties: str
    data: str


def obeyed(output: bytes) -> list[Command]:
    """Return the commands in a step's output; lines end where the runner's reader ends them."""
    found: list[Command] = []
    resume = None
    for line in re.split(r"\r\n|\r|\n", output.decode("utf-8", "replace")):
        if resume is not None:
            resume = None if line.strip() == f"::{resume}::" else resume
            continue
        command = _command(line)
        if command is not None:
            found.append(command)
            if command.name == "stop-commands":
                resume = command.data
    return found


def _command(line: str) -> Command | None:
    new = re.match(r"\s*::(.*?)::(.*)", line)
    old = re.search(r"##\[([^\]]*)\](.*)", line)
    for match in (new, old):
        if match is not None:
            name, _, properties = match[1].partition(" ")
            if name in COMMANDS:
                return Command(name, properties, match[2])
    return None


@dataclass
class Outcome:
    """What became of a job: its conclusion, the output of each step that ran, and the job summary.

    `told` is what steps wrote into the files by which later ones are told something, by the name of the file.
    """

    success: bool = True
    steps: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    summary: str = ""
    told: dict[str, str] = field(default_factory=dict)

    def commands(self) -> list[Command]:
        """Return all that the runner obeyed."""
        return [command for _, output in self.steps.values() for command in obeyed(output)]


class Runner:
    """Runs jobs in a workspace; `values` holds what expressions become, `actions` plays actions by their name."""

    def __init__(self, workspace: Path, temporary: Path, values: Mapping[str, str], actions: Actions) -> None:
        self.workspace, self.temporary, self.actions = workspace, temporary, actions
        self.values = {"runner.temp": str(temporary), **values}

    def job(self, workflow: Path, name: str, replaced: Mapping[str, str] | None = None) -> Outcome:
        """Run a job's steps in order; `replaced` gives another script for the steps of those names."""
        job = yaml.safe_load(workflow.read_text("utf-8"))["jobs"][name]
        return self._run(job["steps"], job.get("env", {}), replaced or {})

    def action(self, definition: Path, given: Mapping[str, str], replaced: Mapping[str, str] | None = None) -> Outcome:
        """Run the steps of a composite action with some inputs."""
        document = yaml.safe_load(definition.read_text("utf-8"))
        assert given.keys() <= document["inputs"].keys()
        self.values["github.action_path"] = str(definition.parent)
        for name, described in document["inputs"].items():
            self.values[f"inputs.{name}"] = given.get(name, described["default"])
        return self._run(document["runs"]["steps"], {}, replaced or {})

    def _run(self, steps: Sequence[Mapping[str, Any]], env: Mapping[str, str], replaced: Mapping[str, str]) -> Outcome:
        files = {name: self.temporary / name.lower() for name in FILES}
        for file in files.values():
            file.write_text("")
        outcome = Outcome()
        for step in steps:
            if self._is_meant(str(step.get("if", "success()")), outcome.success):
                status, output = self._step(step, env, files, replaced)
                outcome.steps[step["name"]] = (status, output)
                outcome.success &= status == 0
        written = {name: text for name, file in files.items() if (text := file.read_text("utf-8"))}
        outcome.summary = written.pop(SUMMARY, "")
        outcome.told = written
        return outcome

    def _is_meant(self, condition: str, success: bool) -> bool:
        """Say whether a step runs: after a failure only one that says `!cancelled()`, and only if its inputs are so."""
        if not success and "!cancelled()" not in condition:
            return False
        asked = re.findall(r"(inputs\.[\w-]+) (==|!=) '(.*?)'", condition)
        return all((self.values[name] == value) is (sign == "==") for name, sign, value in asked)

    def _step(
        self, step: Mapping[str, Any], env: Mapping[str, str], files: Mapping[str, Path], replaced: Mapping[str, str]
    ) -> tuple[int, bytes]:
        if "uses" in step:
            self.actions[step["uses"].partition("@")[0]](
                {key: self._evaluated(str(value)) for key, value in step.get("with", {}).items()}
            )
            return 0, b""
        script = self.temporary / "step.sh"
        script.write_text(replaced.get(step["name"], step["run"]), "utf-8")
        given = {key: self._evaluated(str(value)) for key, value in {**env, **step.get("env", {})}.items()}
        told = {name: str(file) for name, file in files.items()}
        shell = ("--noprofile", "--norc", "-e", "-o", "pipefail") if step.get("shell") == "bash" else ("-e",)
        done = subprocess.run(
            ["bash", *shell, str(script)],
            cwd=self.workspace,
            env=os.environ | told | {"RUNNER_TEMP": str(self.temporary)} | given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return done.returncode, done.stdout

    def _evaluated(self, text: str) -> str:
        return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", lambda match: self.values[match[1]], text)
