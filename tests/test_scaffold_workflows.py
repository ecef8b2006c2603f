"""The workflows of a new board keep their promises, and their steps do what they say, run one by one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import pytest
import yaml
from packaging.requirements import Requirement

from runner import Actions, Command, Outcome, Runner, obeyed
from tallystick.scaffold import Beginning, scaffold

SCAFFOLDING = Path(__file__).resolve().parents[1] / "builder/tallystick/scaffolding"
WORKFLOWS = sorted((SCAFFOLDING / "dot-github/workflows").glob("*.yml"))
PROJECT = Path(__file__).resolve().parents[1]
OURS = [*WORKFLOWS, *sorted((PROJECT / ".github/workflows").glob("*.yml")), PROJECT / "action.yml"]
FAULTS = Path(__file__).resolve().parent / "faults"
BASE_URL = "https://octocat.github.io/repo"
INSTALL = {"Install the released program": "tallystick --version"}


def loaded(workflow: Path) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(workflow.read_text("utf-8"))
    return document


def steps(workflow: Path) -> Iterator[dict[str, Any]]:
    document = loaded(workflow)
    for job in document.get("jobs", {"": document.get("runs")}).values():
        yield from job["steps"]


# --- what the files promise -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("workflow", OURS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit_and_the_version_stands_beside(workflow: Path) -> None:
    uses = re.findall(r"uses: (.*)", workflow.read_text("utf-8"))
    for use in uses:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use) or use.startswith("./ #"), use


def test_one_action_has_one_pin_everywhere() -> None:
    pins: dict[str, set[str]] = {}
    for workflow in OURS:
        for name, pin in re.findall(r"uses: (actions/[a-z-]+)@(.*)", workflow.read_text("utf-8")):
            pins.setdefault(name, set()).add(pin)
    assert len(pins) == 7
    assert {name: pin for name, pin in pins.items() if len(pin) > 1} == {}


@pytest.mark.parametrize("workflow", OURS, ids=lambda path: path.name)
def test_no_expression_is_written_into_a_script(workflow: Path) -> None:
    for step in steps(workflow):
        assert "${{" not in step.get("run", ""), step["name"]
        assert step.get("with", {}).get("persist-credentials", False) is False
        if step.get("uses", "").startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] is False


PERMISSIONS = {
    "check": {"check": {"contents": "read"}},
    "comment": {"comment": {"pull-requests": "write"}},
    "deploy": {"build": {"contents": "read", "pages": "read"}, "deploy": {"pages": "write", "id-token": "write"}},
    "verify-frozen": {"verify": {"contents": "read"}},
}


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_each_job_may_do_what_it_must_for_some_minutes(workflow: Path) -> None:
    document = loaded(workflow)
    assert document["permissions"] == {}
    assert {name: job["permissions"] for name, job in document["jobs"].items()} == PERMISSIONS[workflow.stem]
    assert all(job["timeout-minutes"] <= 30 for job in document["jobs"].values())
    assert document["concurrency"]["cancel-in-progress"] is (workflow.stem == "check")
    text = workflow.read_text("utf-8")
    assert "pull_request_target" not in text
    assert "secrets." not in text


def test_what_may_write_checks_nothing_out() -> None:
    assert not [step for step in steps(SCAFFOLDING / "dot-github/workflows/comment.yml") if "uses" in step]
    deploy = loaded(SCAFFOLDING / "dot-github/workflows/deploy.yml")["jobs"]["deploy"]
    assert deploy["needs"] == "build"
    assert [step.get("uses", "").partition("@")[0] for step in deploy["steps"]] == ["actions/deploy-pages"]


def test_the_locked_dependencies_are_those_of_the_program() -> None:
    text = (SCAFFOLDING / "dot-github/tool/dependencies.txt").read_text("utf-8")
    locked = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", text, re.MULTILINE))
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
    for line in [*project["project"]["dependencies"], *project["build-system"]["requires"]]:
        requirement = Requirement(line)
        assert requirement.name in locked, f"{requirement.name} is not locked: make lock"
        assert requirement.specifier.contains(locked[requirement.name]), f"{line}: make lock"
    blocks = re.split(r"^(?=[a-z0-9-]+==)", text, flags=re.MULTILINE)[1:]
    assert len(blocks) == len(locked)
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", block) for block in blocks)


def test_without_a_tool_nothing_is_installed(tmp_path: Path) -> None:
    scaffold(tmp_path, Beginning("Ours", None), ())
    outcome = Runner(tmp_path, tmp_path, {"github.event.pull_request.base.sha": ""}, acting(tmp_path, tmp_path)).job(
        tmp_path / ".github/workflows/verify-frozen.yml", "verify"
    )
    assert not outcome.success
    assert list(outcome.steps)[-1] == "Install the released program"
    assert b"names no program" in outcome.steps["Install the released program"][1]


def test_it_is_installed_only_into_the_python_that_its_dependencies_are_pinned_for(tmp_path: Path) -> None:
    lock = (SCAFFOLDING / "dot-github/tool/dependencies.txt").read_text("utf-8")
    (pinned,) = re.findall(r"for Python (\S+) on", lock)
    scaffold(tmp_path, Beginning("Ours", f"tallystick ==1.0 --hash=sha256:{64 * '0'}"), ())
    for version, status in (("3.11", 2), (pinned, 0), ("3.14", 2)):
        done, installed = install_with(version, tmp_path)
        assert (done.returncode, len(installed)) == (status, 2 if status == 0 else 0), done.stderr
        told = f"dependencies.txt is for Python {pinned}; here is Python {version}.7."
        assert (told in done.stderr) is (status == 2)


def install_with(version: str, board: Path) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Run install.sh where `python` is of this version and notes what it is to install; return what came of it."""
    bin_, log = board / "bin", board / "log"
    bin_.mkdir(exist_ok=True)
    log.write_text("")
    major, minor = version.split(".")
    python = f"""#!/bin/sh
case "$*" in
*pip*) echo "$*" >> '{log}' ;;
*--version) echo "Python {version}.7" ;;
*) exec '{sys.executable}' -I -c "import sys; sys.version_info = ({major}, {minor}, 7); $3" ;;
esac
"""
    for name, script in (("python", python), ("tallystick", "#!/bin/sh\n")):
        (bin_ / name).write_text(script)
        (bin_ / name).chmod(0o755)
    command = ["sh", str(board / ".github/tool/install.sh")]
    path = {"PATH": f"{bin_}:/usr/bin:/bin"}
    done = subprocess.run(command, env=path, capture_output=True, text=True, check=False)
    return done, log.read_text().splitlines()


# --- what the steps do ----------------------------------------------------------------------------------------------


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a board with one benchmark, one report and one refused report: what main holds."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    board = tmp_path / "main"
    scaffold(board, Beginning("Ours", None), ())
    shutil.copytree(FAULTS / "board/results/tiny", board / "results/tiny")
    shutil.copy(FAULTS / "reports/nan.json", board / "results/tiny/reports/old.json")
    return board


def acting(proposed: Path, trusted: Path, uploaded: Path | None = None) -> Actions:
    """Play the actions: checking out is copying, uploading too; setting up Python has happened."""
    workspace = proposed.parent / "workspace"

    def checkout(given: Mapping[str, str]) -> None:
        source = trusted if "ref" in given else proposed
        shutil.copytree(source, workspace / given.get("path", "."), symlinks=True, dirs_exist_ok=True)

    def upload(given: Mapping[str, str]) -> None:
        source = workspace / given["path"]
        if uploaded and source.is_dir():
            shutil.copytree(source, uploaded, symlinks=True)

    def nothing(given: Mapping[str, str]) -> None:
        pass

    return {
        "actions/checkout": checkout,
        "actions/setup-python": nothing,
        "actions/configure-pages": nothing,
        "actions/cache": nothing,
        "actions/upload-artifact": upload,
        "actions/upload-pages-artifact": upload,
    }


def checked(base: Path, proposed: Path, uploaded: Path) -> Outcome:
    """Run the check of a pull request that proposes a folder for main."""
    workspace, temporary = base.parent / "workspace", base.parent / "temporary"
    workspace.mkdir()
    temporary.mkdir()
    runner = Runner(
        workspace, temporary, {"github.event.pull_request.base.sha": "base"}, acting(proposed, base, uploaded)
    )
    return runner.job(base / ".github/workflows/check.yml", "check", INSTALL)


@pytest.fixture
def proposed(base: Path) -> Path:
    return Path(shutil.copytree(base, base.parent / "fork"))


def test_a_pull_request_is_not_blamed_for_what_main_refuses(base: Path, proposed: Path) -> None:
    outcome = checked(base, proposed, base.parent / "preview")
    assert outcome.success, outcome.steps
    assert outcome.steps["Check the reports"] == (0, b"")
    assert outcome.summary == "### 2 reports read: nothing is new\n\n"
    assert (base.parent / "preview/index.html").is_file()


def test_a_refused_report_fails_the_check_and_is_annotated(base: Path, proposed: Path) -> None:
    shutil.copy(FAULTS / "reports/duplicate-key.json", proposed / "results/tiny/reports/new.json")
    outcome = checked(base, proposed, base.parent / "preview")
    assert not outcome.success
    status, output = outcome.steps["Check the reports"]
    (command,) = obeyed(output)
    assert status == 1
    assert (command.name, command.properties) == ("error", "file=results/tiny/reports/new.json,title=duplicate-key")
    assert outcome.summary.startswith("### 1 report: 1 refused; 2 more are known\n\n- **refused**")
    assert outcome.steps["Build a preview"][0] == 0
    assert (base.parent / "preview/index.html").is_file()


def test_broken_settings_fail_the_check_and_say_why(base: Path, proposed: Path) -> None:
    (proposed / "results/tiny/benchmark.yaml").write_text("title: [\n")
    outcome = checked(base, proposed, base.parent / "preview")
    status, output = outcome.steps["Check the reports"]
    assert status == 2
    assert b"results/tiny/benchmark.yaml" in output
    assert [command.name for command in obeyed(output)] == ["stop-commands", "error"]
    assert not (base.parent / "preview").exists()


HOSTILE = "x\n::error::owned\r##[add-mask]owned ##[error]owned\n::set-env name=PATH::owned\u2028::warning::owned"


def hostile(proposed: Path) -> None:
    """Make of a fork all that a stranger could: every fault there is, names that are commands, code in every place."""
    reports = proposed / "results/tiny/reports"
    for fault in sorted((FAULTS / "reports").glob("*.json")):
        shutil.copy(fault, reports / fault.name)
    text = (reports / "honest.json").read_text("utf-8")
    told = HOSTILE.replace("\n", "\\n").replace("\r", "\\r")
    for number, field in enumerate(("tiny", "honest", "Honest", "sample-1", "scored", "5e11a1b2", "honest-1")):
        (reports / f"told-{number}.json").write_text(text.replace(f'"{field}"', f'"{told}"'), "utf-8")
    for name in (
        HOSTILE.replace("/", ""),
        "##[error]a.json",
        "::error::a.json",
        "%0A::error::a.json",
        "a,title=b:c.json",
    ):
        (reports / name).write_text("{", "utf-8")
    (proposed / "results" / HOSTILE[:40]).mkdir()
    (proposed / "templates").mkdir()
    (proposed / "templates/base.html").write_text("{{ cycler.__init__.__globals__.os.system('touch owned') }}owned")
    for code in ("sitecustomize.py", "numpy.py", "tallystick.py", "json.py", "secrets.py", "conftest.py"):
        (proposed / code).write_text("import pathlib; pathlib.Path('owned').touch()")
    for script in (proposed / ".github/tool").glob("*.sh"):
        script.write_text("touch owned")


def test_a_hostile_pull_request_commands_nothing_and_runs_nothing(base: Path, proposed: Path) -> None:
    hostile(proposed)
    outcome = checked(base, proposed, base.parent / "preview")
    status, output = outcome.steps["Check the reports"]
    assert status == 1
    annotations = obeyed(output)
    assert len(annotations) > 100
    for command in annotations:
        assert command.name in {"error", "warning", "notice"}
        assert re.fullmatch(r"file=results/[^,:]*,title=[a-z0-9-]+", command.properties), command
    assert [line for line in output.splitlines() if line and not line.startswith(b"::")] == []
    assert only_harmless(outcome.commands())
    assert list(base.parent.rglob("owned")) == []
    assert b"owned" not in (base.parent / "preview/index.html").read_bytes()


def test_hostile_settings_command_nothing_either(base: Path, proposed: Path) -> None:
    told = HOSTILE.replace("\n", "\\n").replace("\r", "\\r").replace("\u2028", "\\u2028")
    with (proposed / "results/tiny/benchmark.yaml").open("a") as settings:
        settings.write(f'"{told}": 1\n')
    outcome = checked(base, proposed, base.parent / "preview")
    assert outcome.steps["Check the reports"][0] == 2
    assert only_harmless(outcome.commands())


def only_harmless(commands: list[Command]) -> bool:
    """Say whether nothing was obeyed but annotations and the stopping of commands, under a name not to be guessed."""
    stops = [command.data for command in commands if command.name == "stop-commands"]
    kinds = {command.name for command in commands} - {"error", "warning", "notice", "stop-commands"}
    own = {"The board could not be checked: the log says why.", "The site could not be built: the log says why."}
    bare = {command.data for command in commands if not command.properties and command.name != "stop-commands"}
    return not kinds and bare <= own and all(re.fullmatch("[0-9a-f]{32}", stop) for stop in stops)


def test_commands_are_seen_where_the_runner_sees_them() -> None:
    names = [
        command.name for command in obeyed(b"a ::error::no\n \t::error x=1::yes\na ##[group]b\r::none::c\n##[none]")
    ]
    assert names == ["error", "group"]
    stopped = obeyed(b"::stop-commands::t\n::error::a\n##[error]b\n::t::\n::error::c\n")
    assert [command.data for command in stopped] == ["t", "c"]


# --- what is deployed -----------------------------------------------------------------------------------------------


class Links(HTMLParser):
    """Gathers what a page loads or links to, and its fragments."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in {"href", "src"} and value is not None:
                self.links.append((tag, value))
            if name == "id" and value:
                self.ids.add(value)


def crawl(site: Path) -> list[str]:
    """Follow every link of every page as served below /repo/, and return those that lead nowhere."""
    pages = {path.relative_to(site).as_posix(): Links() for path in site.rglob("*.html")}
    for path, page in pages.items():
        page.feed((site / path).read_text("utf-8"))
    broken = []
    for path, page in pages.items():
        for tag, link in page.links:
            if urlsplit(link).scheme == "https" and tag in {"a", "link"}:
                continue
            target = urlsplit(urljoin(f"http://host/repo/{path}", link))
            place = unquote(target.path)
            inside = place.removeprefix("/repo/")
            inside = f"{inside}index.html" if inside.endswith("/") or not inside else inside
            known = target.fragment in pages[inside].ids if inside in pages and target.fragment else True
            absolute = link.startswith("/") and path != "404.html"
            hidden = any(part.startswith(".") for part in PurePosixPath(inside).parts)
            if not place.startswith("/repo/") or absolute or hidden or not known or not (site / inside).is_file():
                broken.append(f"{path}: {link}")
    return broken


def test_main_is_verified_built_and_fit_for_pages(base: Path) -> None:
    workspace, temporary, site = base.parent / "workspace", base.parent / "temporary", base.parent / "uploaded"
    workspace.mkdir()
    temporary.mkdir()
    values = {"steps.pages.outputs.base_url": BASE_URL, "github.run_id": "1", "github.run_attempt": "1"}
    runner = Runner(workspace, temporary, values, acting(base, base, site))
    outcome = runner.job(base / ".github/workflows/deploy.yml", "build", INSTALL)
    assert outcome.success, outcome.steps
    assert [command.name for command in outcome.commands()] == ["stop-commands"]
    assert crawl(site) == []
    for path in site.rglob("*"):
        assert not path.is_symlink()
        assert path.stat().st_mode & 0o444 == 0o444, path
        name = path.relative_to(site).as_posix()
        assert name == name.lower()
        assert name == ".tallystick" or not path.name.startswith("."), "hosts leave dotfiles out"
    missing = (site / "404.html").read_text("utf-8")
    assert '"/repo/' in missing


def test_a_crawl_finds_what_is_broken(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b/index.html").write_text('<p id=x><a href="../index.html"></a>')
    (tmp_path / "index.html").write_text(
        '<a href="b/"></a><a href="b/#x"></a><a href="b/#y"></a><a href="/b/"></a><img src="https://x.org/a.png">'
        '<a href="gone.html"></a><a href=".tallystick"></a><a href="../up.html"></a><a href="https://x.org"></a>'
    )
    assert [line.partition(": ")[2] for line in crawl(tmp_path)] == [
        *("b/#y", "/b/", "https://x.org/a.png", "gone.html", ".tallystick", "../up.html")
    ]


# --- what is said and repeated --------------------------------------------------------------------------------------

GH = """#!/bin/sh
for word in "$@"; do printf '%s\\n' "$word" >>"$LOG"; done
echo -- >>"$LOG"
case "$*" in *pulls*) echo "$NUMBER" ;; *PATCH*|*POST*) ;; *) echo "$COMMENT" ;; esac
"""


@pytest.mark.parametrize(
    ("number", "comment", "conclusion", "method"),
    [
        ("7", "", "failure", "POST"),
        ("7", "99", "success", "PATCH"),
        ("", "", "failure", ""),
        ("7", "", "cancelled", ""),
    ],
)
def test_a_comment_is_written_once_and_renewed(
    number: str, comment: str, conclusion: str, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for name, value in {"LOG": str(tmp_path / "log"), "NUMBER": number, "COMMENT": comment}.items():
        monkeypatch.setenv(name, value)
    event = "github.event.workflow_run"
    values = {
        "github.token": "token",
        "github.repository": "them/board",
        f"{event}.head_repository.owner.login": "stranger",
        f"{event}.head_branch": '"$(touch owned)`touch owned`',
        f"{event}.head_sha": "c0ffee",
        f"{event}.conclusion": conclusion,
        f"{event}.html_url": "https://example.org/run",
    }
    outcome = Runner(tmp_path, tmp_path, values, {}).job(SCAFFOLDING / "dot-github/workflows/comment.yml", "comment")
    assert outcome.success, outcome.steps
    calls = (tmp_path / "log").read_text("utf-8").split("--\n")[:-1]
    assert 'head=stranger:"$(touch owned)`touch owned`' in calls[0].splitlines()
    written = [call for call in calls if "body=" in call]
    assert len(written) == bool(method)
    if written:
        assert f"\n{method}\n" in written[0]
        assert "<!-- tallystick check -->" in written[0]
        assert "https://example.org/run" in written[0]
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize(("status", "tables"), [(0, 0), (0, 2), (1, 2)])
def test_frozen_tables_are_repeated_one_by_one(
    status: int, tables: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scaffold(tmp_path / "board", Beginning("Ours", None), ())
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/tallystick").write_text(
        f'#!/bin/sh\necho "$@" >>{tmp_path}/log\necho ::error::owned\nexit {status}\n'
    )
    (tmp_path / "bin/tallystick").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    for number in range(tables):
        frozen = tmp_path / f"board/results/b{number}/frozen"
        frozen.mkdir(parents=True)
        (frozen / "a b.json").write_text("{}")
    idle: Actions = {"actions/checkout": lambda given: None, "actions/setup-python": lambda given: None}
    runner = Runner(tmp_path / "board", tmp_path, {}, idle)
    replaced = {"Install the released program": "true"}
    outcome = runner.job(tmp_path / "board/.github/workflows/verify-frozen.yml", "verify", replaced)
    assert outcome.success is (status == 0)
    assert outcome.summary == f"{tables} frozen tables, {tables * status} that could not be repeated\n"
    called = (tmp_path / "log").read_text().splitlines() if tables else []
    assert called == [f"verify --root . ./results/b{number}/frozen/a b.json" for number in range(tables)]
    assert [command.name for command in outcome.commands()] == ["stop-commands", *["error"] * status]
