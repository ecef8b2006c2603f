"""A workflow runner small enough to read: it runs the steps of a job, and sees commands where GitHub's runner does.

Actions are played by functions; `${{ … }}` is looked up in a table, never computed. The rules by which a line of
output becomes a command are those of the runner's own parser: `::name …::` after leading space, or `##[name …]`
anywhere, if the name is known, unless commands are stopped.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

COMMANDS = {
    *("add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "error", "group", "internal-set-repo-path"),
    *("notice", "remove-matcher", "save-state", "set-env", "set-output", "stop-commands", "warning"),
}
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
    """What became of a job: its conclusion, the output of each step that ran, and the job summary."""

    success: bool = True
    steps: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    summary: str = ""

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
        summary = self.temporary / "summary"
        summary.write_text("")
        outcome = Outcome()
        for step in job["steps"]:
            if outcome.success or "!cancelled()" in step.get("if", ""):
                status, output = self._step(step, job.get("env", {}), summary, replaced or {})
                outcome.steps[step["name"]] = (status, output)
                outcome.success &= status == 0
        outcome.summary = summary.read_text("utf-8")
        return outcome

    def _step(
        self, step: Mapping[str, Any], env: Mapping[str, str], summary: Path, replaced: Mapping[str, str]
    ) -> tuple[int, bytes]:
        if "uses" in step:
            self.actions[step["uses"].partition("@")[0]](
                {key: self._evaluated(str(value)) for key, value in step.get("with", {}).items()}
            )
            return 0, b""
        script = self.temporary / "step.sh"
        script.write_text(replaced.get(step["name"], step["run"]), "utf-8")
        given = {key: self._evaluated(str(value)) for key, value in {**env, **step.get("env", {})}.items()}
        variables = os.environ | {"GITHUB_STEP_SUMMARY": str(summary), "RUNNER_TEMP": str(self.temporary)} | given
        done = subprocess.run(
            ["bash", "-e", str(script)],
            cwd=self.workspace,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return done.returncode, done.stdout

    def _evaluated(self, text: str) -> str:
        return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", lambda match: self.values[match[1]], text)
