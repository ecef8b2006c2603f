"""A new board is whole, builds, and takes the place of nothing."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import IO, Any

import pytest

from tallystick import scaffold as module
from tallystick.cli import main
from tallystick.errors import UsageError
from tallystick.scaffold import Beginning, installed_from, scaffold
from tallystick.settings import load_prose, load_site

COMMIT = "0123456789abcdef0123456789abcdef01234567"
TOOL = f"tallystick @ git+https://example.org/them/tallystick@{COMMIT}"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_board_has_settings_pages_workflows_and_the_example(tmp_path: Path, root: Path) -> None:
    written = scaffold(tmp_path / "board", Beginning("Ours", TOOL))
    found = contents(tmp_path / "board")
    assert list(written) == sorted(found)
    assert {"README.md", ".gitignore", "content/site.yaml", ".github/CODEOWNERS"} < set(found)
    assert {path for path in found if path.startswith(".github/workflows/")} == {
        f".github/workflows/{name}.yml" for name in ("check", "comment", "deploy", "verify-frozen")
    }
    example = {path: content for path, content in found.items() if path.startswith("results/dateparse/")}
    assert len(example) > 25
    for path, content in example.items():
        assert content == (root / path).read_bytes(), path
    assert found[".github/tool/tallystick.txt"].decode().splitlines()[-1] == TOOL
    assert not [path for path, content in found.items() if b"@TITLE" in content or b"@TOOL" in content]
    assert (tmp_path / "board/.github/tool/check.sh").stat().st_mode & 0o111


def test_the_example_comes_without_what_belongs_to_the_board_it_comes_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "frozen"  # as the folder of a checkout may be called
    for name in ("reports/one.json", "frozen/0a.json", "__pycache__/measure.pyc"):
        (source / "results/dateparse" / name).parent.mkdir(parents=True)
        (source / "results/dateparse" / name).touch()
    monkeypatch.setattr(module, "__file__", str(source / "builder/tallystick/scaffold.py"))
    written = scaffold(tmp_path / "board", Beginning("Ours", None), ("results/dateparse",))
    assert written == ("results/dateparse/reports/one.json",)


def test_an_empty_board_is_checked_and_built(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board = tmp_path / "board"
    assert main(["init", str(board), "--empty", "--title", "Ours"]) == 0
    said = capsys.readouterr().out
    assert f"Next: cd {board} && tallystick build" in said
    assert "name the program in .github/tool/tallystick.txt" in said
    assert not (board / "results/dateparse").exists()
    assert main(["check", "--root", str(board)]) == 0
    assert main(["build", "--root", str(board), "--strict"]) == 0
    assert "Ours" in (board / "site/index.html").read_text("utf-8")


def test_a_board_that_begins_here_is_gone_to_already(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", ".", "--empty"]) == 0
    assert "Next: tallystick build" in capsys.readouterr().out


@pytest.mark.parametrize("title", ['"quoted" \\ back', "# not: a comment", "{a: b}", "été 名", "yes", "<b>&amp;</b>"])
def test_any_title_reaches_the_settings_whole(title: str, tmp_path: Path) -> None:
    scaffold(tmp_path, Beginning(title, None), ())
    assert load_site(tmp_path).title == title
    assert load_prose(tmp_path)


@pytest.mark.parametrize("title", ["", "  ", "two\nlines", "hid\u200bden", "\x1b[2J"])
def test_a_title_must_be_seen(title: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--title: expected visible text in one line.*\[title\]"):
        scaffold(tmp_path, Beginning(title, None), ())
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_other_files_is_joined(tmp_path: Path) -> None:
    (tmp_path / "LICENSE").write_text("ours")
    (tmp_path / ".git").mkdir()
    (tmp_path / "content").mkdir()
    scaffold(tmp_path, Beginning("Ours", None), ())
    assert (tmp_path / "LICENSE").read_text() == "ours"
    assert (tmp_path / "content/site.yaml").is_file()


def test_no_file_is_written_over_and_every_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    (tmp_path / "README.md").write_text("ours")
    (tmp_path / "content/site.yaml").symlink_to("elsewhere")
    with pytest.raises(UsageError) as caught:
        scaffold(tmp_path, Beginning("Ours", None), ())
    assert [(problem.code, problem.where) for problem in caught.value.problems] == [
        ("init-collision", str(tmp_path / "README.md")),
        ("init-collision", str(tmp_path / "content/site.yaml")),
    ]
    assert contents(tmp_path) == {"README.md": b"ours"}


@pytest.mark.parametrize("kind", ["file", "link"])
def test_nothing_is_written_through_what_is_no_folder(kind: str, tmp_path: Path) -> None:
    board, elsewhere = tmp_path / "board", tmp_path / "elsewhere"
    board.mkdir()
    elsewhere.mkdir()
    if kind == "file":
        (board / "results").write_text("")
    else:
        (board / "results").symlink_to(elsewhere)
    with pytest.raises(
        UsageError, match=r"results: expected a folder, or nothing, found something else.*init-collision"
    ):
        scaffold(board, Beginning("Ours", None), ())
    assert list(elsewhere.iterdir()) == []
    assert [path.name for path in board.iterdir()] == ["results"]
    (tmp_path / "linked").symlink_to(elsewhere)
    with pytest.raises(UsageError, match="found a symbolic link"):
        scaffold(tmp_path / "linked", Beginning("Ours", None), ())


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "LICENSE").write_text("ours")
    original, opened = Path.open, []

    def failing(self: Path, mode: str = "r", **options: Any) -> IO[Any]:  # noqa: ANN401 - as Path.open has it
        if mode == "xb":
            opened.append(self)
            if len(opened) == 8:
                raise OSError(28, "No space left on device")
        return original(self, mode, **options)

    monkeypatch.setattr(Path, "open", failing)
    with pytest.raises(UsageError, match=r"found no space left on device.*folder-unwritable"):
        scaffold(tmp_path, Beginning("Ours", None), ())
    assert len(opened) == 8
    assert [path.name for path in tmp_path.iterdir()] == ["LICENSE"]


DIGEST = "a" * 64


@pytest.mark.parametrize(
    "tool",
    [
        TOOL,
        f"tallystick @ https://example.org/tallystick-1.0-py3-none-any.whl --hash=sha256:{DIGEST}",
        f"tallystick ==1.0.2 --hash=sha256:{DIGEST} --hash=sha256:{DIGEST}",
    ],
)
def test_a_tool_named_for_good_is_taken(tool: str, tmp_path: Path) -> None:
    scaffold(tmp_path, Beginning("Ours", tool), ())
    assert (tmp_path / ".github/tool/tallystick.txt").read_text("utf-8").splitlines()[-1] == tool


@pytest.mark.parametrize(
    "tool",
    [
        "tallystick",
        "tallystick ==1.0",
        TOOL[:-1],
        TOOL.replace(COMMIT, "main"),
        TOOL.replace("https", "http"),
        TOOL.replace("example", "user:word@example"),
        f"tallystick @ https://example.org/tallystick.whl --hash=sha256:{DIGEST[1:]}",
        f"{TOOL}\n--extra-index-url https://example.org",
        TOOL.replace("tallystick @", "other @"),
    ],
)
def test_a_tool_that_could_change_is_refused(tool: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="tool-unpinned"):
        scaffold(tmp_path, Beginning("Ours", tool), ())
    assert list(tmp_path.iterdir()) == []


class Installed:
    """A distribution that says where it was installed from."""

    def __init__(self, origin: object) -> None:
        self.origin = origin

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return None if self.origin is None else json.dumps(self.origin)


@pytest.mark.parametrize(
    ("origin", "tool"),
    [
        ({"url": "https://example.org/them/tallystick", "vcs_info": {"vcs": "git", "commit_id": COMMIT}}, TOOL),
        (
            {"url": "https://example.org/t-1.whl", "archive_info": {"hashes": {"sha256": DIGEST}}},
            f"tallystick @ https://example.org/t-1.whl --hash=sha256:{DIGEST}",
        ),
        ({"url": "https://me:secret@example.org/t", "vcs_info": {"vcs": "git", "commit_id": COMMIT}}, None),
        ({"url": "file:///home/me/tallystick", "dir_info": {"editable": True}}, None),
        (None, None),
    ],
)
def test_the_program_knows_where_it_came_from(
    origin: object, tool: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "distribution", lambda name: Installed(origin))
    assert installed_from() == tool


def test_a_program_that_was_not_installed_knows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Installed:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(module, "distribution", absent)
    assert installed_from() is None
