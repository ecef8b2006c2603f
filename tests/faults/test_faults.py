"""One fixture for each fault, named by it; the whole message stands beside it in a text file.

`board/` is a benchmark of six samples with one honest report. A fixture of `reports/` joins it as
`reports/subject.json` (a folder of that name brings the sample file too), one of `settings/` takes the place of its
benchmark.yaml, one of `samples/` of its sample file. What git cannot hold is built in the test. Whatever the fault, the
honest report must still be read. An empty text file means: nothing is wrong with this one.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import pytest

from tallystick import metrics, protocols
from tallystick.digest import seal, sha256
from tallystick.discover import discover
from tallystick.errors import SettingsError
from tallystick.model import Benchmark, MetricKind, Protocol
from tallystick.pipeline import check
from tallystick.read import read
from tallystick.registry import collect
from tallystick.settings import load_benchmark

HERE = Path(__file__).parent
NOW = datetime(2026, 11, 30, tzinfo=UTC)
KINDS = collect(metrics, "METRIC", MetricKind)
PROTOCOLS = collect(protocols, "PROTOCOL", Protocol)

REPORTS = sorted(path.stem for path in (HERE / "reports").glob("*.txt"))
SETTINGS = sorted(path.stem for path in (HERE / "settings").glob("*.txt"))
SAMPLES = sorted(path.stem for path in (HERE / "samples").glob("*.txt"))


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    shutil.copytree(HERE / "board", tmp_path / "root")
    return tmp_path / "root/results/tiny"


def settled(tiny: Path) -> Benchmark:
    return load_benchmark(tiny.parents[1], "tiny", PROTOCOLS, KINDS)


def messages(tiny: Path) -> str:
    """Return every problem of the board, one a line, after checking that the honest report has none."""
    (docket,) = check(tiny.parents[1], NOW, lambda _: None).dockets
    lines = [str(problem) for item in docket.unread for problem in item.problems]
    lines += [str(problem) for judgement in docket.judgements for problem in judgement.problems]
    outcomes = {judgement.report.method.id: judgement.outcome for judgement in docket.judgements}
    assert outcomes["honest"] == "admitted"
    return "".join(f"{line}\n" for line in lines)


def settings_mistakes(tiny: Path) -> str:
    with pytest.raises(SettingsError) as raised:
        settled(tiny)
    return str(raised.value)


@pytest.mark.parametrize("fault", REPORTS)
def test_a_faulty_report_is_refused_with_its_whole_message(fault: str, tiny: Path) -> None:
    fixture = HERE / "reports" / fault
    if fixture.is_dir():
        shutil.copytree(fixture, tiny / "reports", dirs_exist_ok=True)
    else:
        shutil.copyfile(fixture.with_suffix(".json"), tiny / "reports/subject.json")
    assert messages(tiny) == fixture.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("fault", SETTINGS)
def test_a_mistake_in_settings_names_file_line_and_key(fault: str, tiny: Path) -> None:
    fixture = HERE / "settings" / f"{fault}.yaml"
    shutil.copyfile(fixture, tiny / "benchmark.yaml")
    assert f"{settings_mistakes(tiny)}\n" == fixture.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("fault", SAMPLES)
def test_a_faulty_sample_file_stops_its_benchmark(fault: str, tiny: Path) -> None:
    fixture = HERE / "samples" / f"{fault}.csv"
    (tiny / "samples.csv").write_bytes(fixture.read_bytes())
    pinned = sha256((tiny / "samples.jsonl").read_bytes())
    settings = (tiny / "benchmark.yaml").read_text().replace("samples.jsonl", "samples.csv")
    (tiny / "benchmark.yaml").write_text(settings.replace(pinned, sha256(fixture.read_bytes())))
    assert f"{settings_mistakes(tiny)}\n" == fixture.with_suffix(".txt").read_text(encoding="utf-8")


def test_every_fixture_has_its_message() -> None:
    for kind, fixtures in (("reports", REPORTS), ("settings", SETTINGS), ("samples", SAMPLES)):
        names = {path.stem for path in (HERE / kind).iterdir()}
        assert names == set(fixtures), f"fixtures without a message, or messages without a fixture, in {kind}"


# --- what git cannot hold ---------------------------------------------------------------------------------------------


def subject(tiny: Path) -> Path:
    """Return where a second report would lie."""
    return tiny / "reports/subject.json"


def test_a_symbolic_link_as_report(tiny: Path) -> None:
    subject(tiny).symlink_to("honest.json")
    assert messages(tiny) == (
        "reports/subject.json: expected a regular file or folder, found a symbolic link."
        " Put the file itself there. [symlink]\n"
    )


def test_a_symbolic_link_on_the_way_to_a_report(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/secret.json").write_text("{}")
    (tiny / "more").symlink_to(tmp_path / "elsewhere")
    assert messages(tiny) == (
        "more: expected a regular file or folder, found a symbolic link. Put the file itself there. [symlink]\n"
    )


def test_a_symbolic_link_put_there_after_discovery(tiny: Path, tmp_path: Path) -> None:
    """The opening must not trust what the listing saw."""
    (tmp_path / "secret.json").write_text("{}")
    subject(tiny).write_text("{}")
    folder = discover(tiny.parents[1]).folders[0]
    subject(tiny).unlink()
    subject(tiny).symlink_to(tmp_path / "secret.json")
    _, unread = read(folder, settled(tiny), PROTOCOLS)
    assert [str(problem) for item in unread for problem in item.problems] == [
        "reports/subject.json: expected a regular file in a regular folder, found a symbolic link at"
        " reports/subject.json. Put the file itself there. [symlink]"
    ]


def test_a_symbolic_link_as_sample_file_of_the_benchmark(tiny: Path) -> None:
    (tiny / "samples.jsonl").rename(tiny / "real.jsonl")
    (tiny / "samples.jsonl").symlink_to("real.jsonl")
    assert settings_mistakes(tiny) == (
        "results/tiny/benchmark.yaml line 6 /samples/path: expected a regular file in a regular folder, found a"
        " symbolic link at results/tiny/samples.jsonl. Put the file itself there. [symlink]"
    )


def test_a_symbolic_link_as_benchmark(tiny: Path) -> None:
    (tiny.parent / "other").symlink_to(tiny)
    assert [str(problem) for problem in discover(tiny.parents[1]).problems] == [
        "results/other: expected a folder, found a symbolic link. Put the folder itself there. [symlink]"
    ]


def test_a_fifo(tiny: Path) -> None:
    os.mkfifo(subject(tiny))
    assert messages(tiny) == (
        "reports/subject.json: expected a regular file, found a FIFO."
        " Remove it, or put a regular file there. [not-a-file]\n"
    )


def test_a_fifo_put_there_after_discovery_does_not_hang(tiny: Path) -> None:
    subject(tiny).write_text("{}")
    folder = discover(tiny.parents[1]).folders[0]
    subject(tiny).unlink()
    os.mkfifo(subject(tiny))
    _, unread = read(folder, settled(tiny), PROTOCOLS)
    assert [problem.code for item in unread for problem in item.problems] == ["not-a-file"]


def test_a_socket(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tiny / "reports")  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("subject.json")
        assert messages(tiny) == (
            "reports/subject.json: expected a regular file, found a socket."
            " Remove it, or put a regular file there. [not-a-file]\n"
        )


def test_a_file_over_the_limit(tiny: Path) -> None:
    with subject(tiny).open("wb") as file:
        file.truncate(20 * 2**20 + 1)
    assert messages(tiny) == (
        "reports/subject.json: expected at most 20,971,520 bytes, found 20,971,521 bytes."
        " Make the file smaller, or raise `limits` in benchmark.yaml. [file-too-large]\n"
    )


def test_files_over_the_limit_of_the_folder(tiny: Path) -> None:
    with (tiny / "benchmark.yaml").open("a") as settings:
        settings.write("limits: {total_mb: 1}\n")
    with subject(tiny).open("wb") as file:
        file.truncate(2**20)
    assert messages(tiny) == (
        "reports/subject.json: expected at most 1 MB in the benchmark's folder, found more, with this file."
        " Remove files that belong to no report, or raise `limits` in benchmark.yaml. [folder-too-large]\n"
    )


def test_a_folder_too_deep(tiny: Path) -> None:
    (tiny / "/".join("abcdefghi")).mkdir(parents=True)
    assert messages(tiny) == (
        "a/b/c/d/e/f/g/h: expected at most 8 levels, found a deeper folder. Move it up. [folder-too-deep]\n"
    )


def test_too_many_files(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tallystick.discover.FILES", 3)
    for number in range(3):
        (tiny / f"reports/more-{number}.json").write_text("{}")
    folder = discover(tiny.parents[1]).folders[0]
    assert folder.candidates == ()
    assert [str(problem) for item in folder.unread for problem in item.problems] == [
        ".: expected at most 3 files, found more. Move files that belong to no report out of the folder."
        " [too-many-files]"
    ]


def test_a_file_that_may_not_be_read(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The refusal of the system is simulated: who runs the tests may be allowed to read everything."""
    subject(tiny).write_text("{}")
    opened = os.open

    def refuse(path: Path, flags: int) -> int:
        if path.name == "subject.json":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return opened(path, flags)

    monkeypatch.setattr("tallystick.strict.files.os.open", refuse)
    assert messages(tiny) == (
        "reports/subject.json: expected a readable file, found permission denied."
        " Make the file a plain one that everyone may read. [file-unreadable]\n"
    )


def test_a_file_that_changes_while_it_is_read(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subject(tiny).write_text("{}")
    opened = os.fdopen

    def growing(descriptor: int, mode: str, closefd: bool) -> IO[bytes]:
        if os.fstat(descriptor).st_ino == subject(tiny).stat().st_ino:
            with subject(tiny).open("a") as file:
                file.write("   ")
        return opened(descriptor, mode, closefd=closefd)

    monkeypatch.setattr("tallystick.strict.files.os.fdopen", growing)
    assert messages(tiny) == (
        "reports/subject.json: expected a file at rest, found 5 bytes where 2 were announced, or a newer time of"
        " change. Wait until nothing writes to it, then build again. [file-changed]\n"
    )


def test_names_that_differ_only_in_case(tiny: Path) -> None:
    (tiny / "reports/Foo.json").write_text("{}")
    (tiny / "reports/foo.json").write_text("{}")
    if len(list((tiny / "reports").iterdir())) != 3:
        pytest.skip("this file system holds only one of the two")
    expected = (
        "expected names that differ in more than case and Unicode normal form, found 'Foo.json' and 'foo.json' in one"
        " folder. Rename one of them. [name-collision]\n"
    )
    assert messages(tiny) == f"reports/Foo.json: {expected}reports/foo.json: {expected}"


def test_names_that_differ_only_in_normal_form(tiny: Path) -> None:
    (tiny / "reports/caf\u00e9.json").write_text("{}")
    (tiny / "reports/cafe\u0301.json").write_text("{}")
    if len(list((tiny / "reports").iterdir())) != 3:
        pytest.skip("this file system holds only one of the two")
    found = messages(tiny)
    assert found.count("[name-collision]") == 2
    assert "found 'caf\\xe9.json' and 'cafe\\u0301.json' in one folder" in found


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("con.json", "the name 'con.json', which Windows reserves"),
        ("Lpt1", "the name 'Lpt1', which Windows reserves"),
        ("dot.json.", "the name 'dot.json.' with a trailing dot"),
        ("space.json ", "the name 'space.json ' with a trailing space"),
        ("a:b.json", "the name 'a:b.json' with the character ':'"),
        ("a\\b.json", "the name 'a\\\\b.json' with the character '\\\\'"),
        ("a\u202eb.json", "the name 'a\\u202eb.json' with an invisible or undecodable character"),
    ],
)
def test_names_that_some_system_cannot_hold(name: str, found: str, tiny: Path) -> None:
    (tiny / "reports" / name).write_text("{}")
    assert messages(tiny) == (
        f"reports/{name}: expected a name that every system can hold, found {found}. Rename it. [unsafe-name]\n"
    )


def test_a_name_that_is_no_text(tiny: Path) -> None:
    (tiny / "reports" / os.fsdecode(b"sub\xffject.json")).write_text("{}")
    assert messages(tiny) == (
        "reports/sub\\udcffject.json: expected a name that every system can hold, found the name"
        " 'sub\\udcffject.json' with an invisible or undecodable character. Rename it. [unsafe-name]\n"
    )


# --- several reports at once ------------------------------------------------------------------------------------------


def test_a_report_replayed_under_another_name(tiny: Path) -> None:
    """The same bytes cannot be another method's report: they say whose they are."""
    shutil.copyfile(tiny / "reports/honest.json", subject(tiny))
    assert messages_of_subject(tiny) == [
        "reports/subject.json /method/id: expected `subject`, as the file, found `honest`."
        " Name the file after its method. [name-differs]"
    ]


def test_a_sample_file_that_two_reports_claim(tiny: Path) -> None:
    fixture = HERE / "reports/sample-file"
    shutil.copytree(fixture, tiny / "reports", dirs_exist_ok=True)
    copied = json.loads(subject(tiny).read_text())
    copied["method"] |= {"id": "thief"}
    copied["run"] |= {"finished": "2026-11-02T12:00:00Z"}
    copied["seal"] = seal(copied)
    (tiny / "reports/thief.json").write_text(json.dumps(copied))
    assert messages(tiny) == (
        "reports/thief.json /samples/path: expected a sample file of its own, found reports/subject.jsonl, which"
        " reports/subject.json reports too. Give each report the outcomes of its own method. [samples-shared]\n"
    )


def messages_of_subject(tiny: Path) -> list[str]:
    return [line for line in messages(tiny).splitlines() if line.startswith("reports/subject.json")]
