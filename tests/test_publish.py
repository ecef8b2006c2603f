"""Publishing: all at once, only what changed, and never into a folder that is somebody else's."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from tallystick import publish as module
from tallystick.board import File
from tallystick.errors import PublishError
from tallystick.publish import MARKER, publish


def files(**contents: str) -> tuple[File, ...]:
    return tuple(File(path.replace("__", "/") + ".txt", text.encode()) for path, text in contents.items())


OLD = files(index="old", a__page="same", a__gone="leaves", assets__style_1="first")
NEW = files(index="new", a__page="same", b__added="comes", assets__style_2="second")


def tree(folder: Path) -> dict[str, str]:
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_text() for name, path in found.items() if name != MARKER}


def shown(contents: tuple[File, ...]) -> dict[str, str]:
    return {file.path: file.content.decode() for file in contents}


def code(error: pytest.ExceptionInfo[PublishError]) -> str:
    return error.value.problems[0].code


def test_a_first_site_is_exactly_its_files(tmp_path: Path) -> None:
    assert publish(OLD, tmp_path / "deep" / "site") == tuple(sorted(shown(OLD)))
    assert tree(tmp_path / "deep" / "site") == shown(OLD)
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["site"]


def test_only_changed_files_are_touched_and_the_changed_are_named(tmp_path: Path) -> None:
    out = tmp_path / "site"
    publish(OLD, out)
    os.utime(out / "a/page.txt", (1, 1))
    assert publish(NEW, out) == ("a/gone.txt", "assets/style_2.txt", "b/added.txt", "index.txt")
    assert (out / "a/page.txt").stat().st_mtime == 1
    assert tree(out) == shown(NEW) | {"assets/style_1.txt": "first"}


def test_nothing_is_touched_if_nothing_changed(tmp_path: Path) -> None:
    out = tmp_path / "site"
    publish(OLD, out)
    before = out.stat().st_ino, (out / MARKER).stat().st_mtime_ns
    assert publish(OLD, out) == ()
    assert (out.stat().st_ino, (out / MARKER).stat().st_mtime_ns) == before


def test_assets_stay_for_one_more_generation(tmp_path: Path) -> None:
    out = tmp_path / "site"
    publish(OLD, out)
    publish(NEW, out)
    publish((*NEW[1:], File("index.txt", b"newer")), out)
    assert "assets/style_1.txt" in tree(out), "still the generation before"
    publish(files(index="third", assets__style_3="third"), out)
    assert tree(out) == {"index.txt": "third", "assets/style_3.txt": "third", "assets/style_2.txt": "second"}


def test_what_was_changed_or_added_by_hand_is_put_right(tmp_path: Path) -> None:
    out = tmp_path / "site"
    publish(OLD, out)
    (out / "index.txt").write_text("edited")
    (out / "a/extra.txt").write_text("added")
    (out / "assets/style_1.txt").unlink()
    (out / "a/link.txt").symlink_to("/etc/hostname")
    assert publish(OLD, out) == ("a/extra.txt", "a/link.txt", "assets/style_1.txt", "index.txt")
    assert tree(out) == shown(OLD)


def test_the_placeholder_of_an_empty_folder_stays(tmp_path: Path) -> None:
    out = tmp_path / "site"
    out.mkdir()
    (out / ".gitkeep").touch()
    publish(OLD, out)
    publish(NEW, out)
    assert tree(out)[".gitkeep"] == ""


def test_a_folder_of_others_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(PublishError) as error:
        publish(OLD, tmp_path)
    assert code(error) == "output-not-ours"
    assert tree(tmp_path) == {"thesis.tex": "years of work"}


@pytest.mark.parametrize("marker", ["", "[]", '{"format": "other/1"}', '{"format": "tallystick-site/1"}'])
def test_a_marker_that_is_not_ours_does_not_count(tmp_path: Path, marker: str) -> None:
    (tmp_path / MARKER).write_text(marker)
    with pytest.raises(PublishError) as error:
        publish(OLD, tmp_path)
    assert code(error) == "output-not-ours"


def test_a_symlink_is_refused_and_its_target_untouched(tmp_path: Path) -> None:
    publish(OLD, tmp_path / "real")
    (tmp_path / "site").symlink_to("real")
    with pytest.raises(PublishError) as error:
        publish(NEW, tmp_path / "site")
    assert code(error) == "output-not-ours"
    assert tree(tmp_path / "real") == shown(OLD)


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("a file")
    with pytest.raises(PublishError) as error:
        publish(OLD, tmp_path / "site")
    assert code(error) == "output-not-ours"


def test_a_symlink_inside_the_old_site_is_never_carried_over(tmp_path: Path) -> None:
    out = tmp_path / "site"
    publish(OLD, out)
    secret = tmp_path / "secret"
    secret.write_text("same")
    (out / "a/page.txt").unlink()
    (out / "a/page.txt").symlink_to(secret)
    publish(OLD, out)
    assert not (out / "a/page.txt").is_symlink()
    assert secret.stat().st_nlink == 1


@pytest.mark.parametrize("path", ["../up", "/root", "a/../../up", "a\\b", "", MARKER])
def test_paths_that_leave_the_site_are_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(ValueError, match="must not have"):
        publish((File(path, b""),), tmp_path / "site")


def test_a_full_disk_leaves_the_old_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "site"
    publish(OLD, out)

    def full(path: Path, content: bytes) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(PublishError) as error:
        publish(NEW, out)
    monkeypatch.undo()
    assert code(error) == "output-not-writable"
    assert "Make room" in error.value.problems[0].remedy
    assert tree(out) == shown(OLD)
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_parent_that_is_a_file_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PublishError) as error:
        publish(OLD, tmp_path / "file" / "site")
    assert code(error) == "output-not-writable"


def test_file_systems_without_hard_links_get_copies_with_their_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(new: Path, old: Path) -> NoReturn:
        raise OSError(errno.EPERM, "no hard links")

    monkeypatch.setattr(Path, "hardlink_to", refused)
    out = tmp_path / "site"
    publish(OLD, out)
    os.utime(out / "a/page.txt", (1, 1))
    publish(NEW, out)
    assert (out / "a/page.txt").stat().st_mtime == 1


def test_systems_without_an_exchange_of_names_end_at_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_system_exchange", lambda: None)
    publish(OLD, tmp_path / "site")
    publish(NEW, tmp_path / "site")
    assert tree(tmp_path / "site") == shown(NEW) | {"assets/style_1.txt": "first"}
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


STEPS = {"open", "os.mkdir", "os.rename", "os.link", "os.remove", "os.rmdir", "os.scandir", "ctypes.call_function"}


def killed_at(step: int, out: Path) -> bool:
    """Publish NEW in a child that dies at its n-th step; say whether it came to its end before that."""
    child = os.fork()
    if child == 0:
        left = step

        def die(event: str, _: object) -> None:
            nonlocal left
            if event in STEPS:
                left -= 1
                if left == 0:
                    os._exit(9)

        sys.addaudithook(die)
        publish(NEW, out)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 9)
    return os.waitstatus_to_exitcode(status) == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have no exchange of names")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_killed_at_any_step_the_site_is_the_old_one_or_the_new_one(tmp_path: Path) -> None:
    seen, step, finished = set(), 0, False
    new = shown(NEW) | {"assets/style_1.txt": "first"}
    while not finished:
        step += 1
        out = tmp_path / str(step) / "site"
        publish(OLD, out)
        finished = killed_at(step, out)
        found = tree(out)
        assert found in (shown(OLD), new), f"half a site after step {step}"
        seen.add(found == new)
        publish(NEW, out)
        assert tree(out) == new
        assert [path.name for path in out.parent.iterdir()] == ["site"], f"left behind after step {step}"
    assert seen == {False, True}
    assert step > 20


@pytest.mark.skipif(sys.platform == "win32", reason="fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_killed_at_any_step_of_the_two_step_way_the_next_run_finishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_system_exchange", lambda: None)
    step, finished = 0, False
    while not finished:
        step += 1
        out = tmp_path / str(step) / "site"
        publish(OLD, out)
        finished = killed_at(step, out)
        publish(OLD, out)
        assert tree(out) | shown(OLD) == tree(out)
        assert [path.name for path in out.parent.iterdir()] == ["site"], f"left behind after step {step}"
