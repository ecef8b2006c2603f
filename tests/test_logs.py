"""Hostile and broken log files: refused within limits, naming what is wrong."""

from __future__ import annotations

import gzip
import os
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from logs_made import codes, inspect_log, inspect_sample, write, write_lines, zstandard_zip
from tallystick.errors import Refusal, UsageError
from tallystick.logs import Limits, gather, member, objects, parse, table
from tallystick.logs.archive import MEMBER_BYTES


@contextmanager
def memory() -> Iterator[list[int]]:
    """Measure the peak of memory inside the block."""
    peak: list[int] = []
    tracemalloc.start()
    try:
        yield peak
        peak.append(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()


def refused(*paths: Path) -> list[str]:
    """Return the codes with which looking at the paths is refused."""
    with pytest.raises(Refusal) as refusal:
        gather(paths)
    return codes(refusal.value)


def test_a_file_is_what_it_holds_not_what_it_is_called(tmp_path: Path) -> None:
    made = {
        "a.txt": (b'{"a": 1}', "json"),
        "b.json": (b'{"a": 1}\n{"a": 2}\n', "lines"),
        "c.jsonl": (b'[{"a": 1},\n{"a": 2}]', "json"),
        "d.log": (b"x,y\n1,2\n", "csv"),
        "e.csv": (b"PAR1....PAR1", "parquet"),
        "f.json": (b"hello", "unknown"),
        "g.json": (b'{\n "a": {\n  "b": 1}\n}', "json"),
        "h.gz": (gzip.compress(b'{"a": 1}\n{"a": 2}\n'), "lines"),
    }
    for name, (content, _) in made.items():
        (tmp_path / name).write_bytes(content)
    assert {file.name: file.kind for file in gather([tmp_path])} == {name: kind for name, (_, kind) in made.items()}


def test_files_come_in_order_of_names_without_links_and_hidden_ones(tmp_path: Path) -> None:
    for name in ("b.json", "sub/a.json", ".hidden.json"):
        write(tmp_path / name, {"a": 1})
    (tmp_path / "link.json").symlink_to(tmp_path / "b.json")
    assert [file.name for file in gather([tmp_path])] == ["b.json", "sub/a.json"]


def test_files_of_two_folders_never_seem_to_lie_together(tmp_path: Path) -> None:
    for name in ("x/run/spec.json", "y/run/spec.json", "y/run/stats.json"):
        write(tmp_path / name, {"a": 1})
    given = [tmp_path / "x/run", tmp_path / "y/run", tmp_path / "y/run/stats.json"]
    assert [file.name for file in gather(given)] == ["x/run/spec.json", "y/run/spec.json", "y/run/stats.json"]
    assert [file.name for file in gather(given[1:])] == ["spec.json", "stats.json"]


def test_an_absent_path_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        gather([tmp_path / "nothing"])


def test_too_many_and_too_deep_folders_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a/b/c/d.json", {})
    with pytest.raises(UsageError):
        gather([tmp_path], Limits(depth=2))
    with pytest.raises(UsageError):
        gather([tmp_path], Limits(files=3))


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    assert refused(tmp_path / "pipe.json") == ["not-a-file"]


def test_a_gzip_bomb_is_refused_within_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "bomb.json.gz"
    with gzip.open(path, "wb") as file:
        file.write(b"[")
        for _ in range(80):
            file.write(b" " * 2**20)
    assert refused(path) == ["file-too-large"]


def test_a_truncated_gzip_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cut.json.gz"
    path.write_bytes(gzip.compress(b'{"a": 1}' * 1000)[:20])
    assert refused(path) == ["gzip-broken"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{"a": 1, "a": 2}', "duplicate-key"),
        (b"[" * 100_000, "nesting-too-deep"),
        (b"[" * 300 + b"]" * 300, "nesting-too-deep"),
        (b'{"a": ' + b"9" * 5000 + b"}", "number-out-of-range"),
        (b'{"a": "\xff"}', "not-utf-8"),
        (b'{"a": [1, 2', "json-syntax"),
        (b'{"a": 1} trailing', "json-syntax"),
    ],
)
def test_broken_documents_are_refused(content: bytes, code: str) -> None:
    with pytest.raises(Refusal) as refusal:
        parse(content, "log.json")
    assert codes(refusal.value) == [code]
    assert refusal.value.problems[0].where.startswith("log.json")


@pytest.mark.parametrize("name", ["../evil.json", "/etc/passwd", "a/../../b", "C:/x", "a\\b"])
def test_names_that_reach_outside_refuse_the_archive(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), "{}")
    assert refused(path) == ["archive-path"]


def test_a_member_twice_refuses_the_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("header.json", "{}")
        archive.writestr("header.json", "{}")
    assert refused(path) == ["archive-duplicate"]


def test_a_member_that_claims_too_much_refuses_the_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", b" " * (MEMBER_BYTES + 1))
    assert path.stat().st_size < 100_000
    assert refused(path) == ["archive-too-large"]


def lying(path: Path, claimed: int, size: int) -> Path:
    """Change the sizes that an archive's only member claims."""
    content = path.read_bytes()
    path.write_bytes(content.replace(size.to_bytes(4, "little"), claimed.to_bytes(4, "little")))
    return path


def test_a_zip_bomb_that_claims_to_be_small_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    size = MEMBER_BYTES + 12_345
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", b" " * size)
    assert member_refused(lying(path, 100, size)) == ["archive-broken"]


def test_a_zstandard_bomb_is_not_unpacked(tmp_path: Path) -> None:
    pytest.importorskip("zstandard")
    size = 4 * MEMBER_BYTES + 12_345
    path = zstandard_zip(tmp_path / "a.eval", {"header.json": b" " * size})
    assert path.stat().st_size < 100_000
    assert refused(path) == ["archive-too-large"]
    with memory() as peak:
        assert member_refused(lying(path, 100, size)) == ["archive-too-large"]
    assert peak[0] < 3 * MEMBER_BYTES


def test_a_zstandard_member_without_its_reader_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("zstandard")
    path = zstandard_zip(tmp_path / "a.eval", {"header.json": b"{}"})
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    with pytest.raises(Refusal) as refusal:
        member(path, "header.json", "a.eval")
    assert codes(refusal.value) == ["zstandard-missing"]
    assert "inspect log convert" in refusal.value.problems[0].remedy


def test_content_that_does_not_match_its_checksum_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", b'{"status": "success"}')
    path.write_bytes(path.read_bytes().replace(b"success", b"failure"))
    assert member_refused(path) == ["archive-broken"]


def member_refused(path: Path) -> list[str]:
    """Return the codes with which reading the archive's header is refused."""
    with pytest.raises(Refusal) as refusal:
        member(path, "header.json", path.name)
    return codes(refusal.value)


def test_long_files_of_lines_are_read_line_by_line(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [{"id": index, "text": "x" * 5000} for index in range(4000)])
    (file,) = gather([path])
    assert file.size > 20_000_000
    with memory() as peak:
        assert sum(1 for _ in objects(file)) == 4000
    assert peak[0] < file.size / 4


def test_lines_that_are_too_long_or_too_many_are_refused(tmp_path: Path) -> None:
    (file,) = gather([write_lines(tmp_path / "a.jsonl", [{"a": 1}, {"a": "x" * 500}])])
    for limits in (Limits(line=100), Limits(stream=300)):
        with pytest.raises(Refusal) as refusal:
            list(objects(file, limits))
        assert codes(refusal.value) == ["file-too-large"]
        assert refusal.value.problems[0].where == "a.jsonl line 2"


def test_a_line_that_is_no_object_is_refused(tmp_path: Path) -> None:
    (file,) = gather([write_lines(tmp_path / "a.jsonl", [{"a": 1}, [2]])])
    with pytest.raises(Refusal) as refusal:
        list(objects(file))
    assert refusal.value.problems[0].where == "a.jsonl line 2"


def test_a_file_that_changes_after_it_was_digested_is_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [{"a": 1}, {"a": 2}])
    (file,) = gather([path])
    path.write_text('{"a": 1}\n{"a": 3}\n', encoding="utf-8")
    with pytest.raises(Refusal) as refusal:
        list(objects(file))
    assert codes(refusal.value) == ["file-changed"]


def test_cells_of_csv_stay_text(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('method,score\nNA,1.0\nNone,"1,5"\n"say ""hi""",\n', encoding="utf-8")
    (file,) = gather([path])
    assert [tuple(row.values()) for _, row in table(file)] == [("NA", "1.0"), ("None", "1,5"), ('say "hi"', "")]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"a,b,a\n1,2,3\n", "csv-header"),
        (b"a,b\n1,2,3\n", "csv-ragged"),
        (b"a,b\n1\n", "csv-ragged"),
        (b'a,b\n1,"2\n', "csv-syntax"),
        (b"\xef\xbb\xbfa,b\n1,2\n", "byte-order-mark"),
        (b"a,\n1,2\n", "csv-header"),
    ],
)
def test_broken_csv_is_refused(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    (file,) = gather([path])
    with pytest.raises(Refusal) as refusal:
        list(table(file))
    assert codes(refusal.value) == [code]


def test_a_log_with_nan_is_read_and_left_to_its_format(tmp_path: Path) -> None:
    (file,) = gather([write(tmp_path / "a.json", inspect_log([inspect_sample(1, float("nan"))]))])
    assert file.head["samples"][0]["scores"]["match"]["value"] != file.head["samples"][0]["scores"]["match"]["value"]
