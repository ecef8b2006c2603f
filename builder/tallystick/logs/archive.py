"""ZIP archives of logs, whose members are trusted with nothing: neither their names nor the sizes they claim.

Members compressed with Zstandard (ZIP method 93) are read too where the package `zstandard` is installed.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from pathlib import Path
from typing import Protocol, cast

from tallystick.errors import Problem, Refusal

MEMBERS = 100_000
MEMBER_BYTES = 64 * 2**20
ARCHIVE_BYTES = 2 * 2**30
ZSTANDARD = 93
_ENCRYPTED = 0x1
_LOCAL_HEADER = 30
_ZSTD_WINDOW = 2**27  # what the zstd command line accepts without being told


class _Readable(Protocol):
    def read(self, size: int) -> bytes: ...


def member_names(path: Path, where: str) -> tuple[str, ...]:
    """Return the names of an archive's members; raise Refusal for an archive that could harm or mislead."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise _refusal(
            "archive-broken", where, "a readable ZIP archive", str(error)[:100], "Export the log again."
        ) from None
    problems = [problem for info in infos if (problem := _unsafe(info, where)) is not None]
    names = [info.filename for info in infos]
    if len(names) > MEMBERS:
        problems.append(Problem("archive-too-large", where, f"at most {MEMBERS} members", f"{len(names)}", _SPLIT))
    if len(set(names)) != len(names):
        twice = next(name for name in sorted(set(names)) if names.count(name) > 1)
        problems.append(
            Problem("archive-duplicate", where, "each member once", f"{twice[:80]!r} twice", "Export the log again.")
        )
    claimed = sum(info.file_size for info in infos)
    if claimed > ARCHIVE_BYTES:
        problems.append(
            Problem("archive-too-large", where, f"at most {ARCHIVE_BYTES} bytes unpacked", f"{claimed} claimed", _SPLIT)
        )
    if problems:
        raise Refusal(problems[:50])
    return tuple(names)


def member(path: Path, name: str, where: str) -> bytes:
    """Return one member's bytes; raise Refusal where it unpacks to more than it may or does not match its CRC."""
    place = f"{where} {name}"
    try:
        with zipfile.ZipFile(path) as archive:
            info = archive.getinfo(name)
            if info.compress_type == ZSTANDARD:
                return _zstandard(path, info, place)
            with archive.open(info) as stream:
                return _bounded(cast(_Readable, stream), place)
    except NotImplementedError:
        raise _refusal(
            "archive-method",
            place,
            "a deflated, stored or Zstandard member",
            "another compression method",
            "Run `inspect log convert --to json` on the log, or zip it again with deflate.",
        ) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as error:
        raise _refusal("archive-broken", place, "a whole member", str(error)[:100], "Export the log again.") from None


_SPLIT = "Split the log, or give only the part that holds the samples."


def _bounded(stream: _Readable, place: str) -> bytes:
    """Read at most one byte more than is allowed: what a header claims is never believed."""
    content = stream.read(MEMBER_BYTES + 1)
    if len(content) > MEMBER_BYTES:
        raise _refusal("archive-too-large", place, f"at most {MEMBER_BYTES} bytes in a member", "more", _SPLIT)
    return content


def _zstandard(path: Path, info: zipfile.ZipInfo, place: str) -> bytes:
    try:
        import zstandard  # optional: only newer Inspect logs need it
    except ImportError:
        raise _refusal(
            "zstandard-missing",
            place,
            "a member that Python's zipfile can read",
            "Zstandard compression (ZIP method 93)",
            "Install Tallystick with its extra `inspect`, or run `inspect log convert --to json` on the log.",
        ) from None
    if info.compress_size > MEMBER_BYTES:
        raise _refusal("archive-too-large", place, f"at most {MEMBER_BYTES} bytes in a member", "more", _SPLIT)
    with path.open("rb") as file:
        file.seek(info.header_offset)
        header = file.read(_LOCAL_HEADER)
        if len(header) < _LOCAL_HEADER or header[:4] != b"PK\x03\x04":
            raise zipfile.BadZipFile("no local header where the directory points")
        name_length, extra_length = struct.unpack("<HH", header[26:30])
        file.seek(name_length + extra_length, 1)
        packed = file.read(info.compress_size)
    try:
        with zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).stream_reader(packed) as stream:
            content = _bounded(cast(_Readable, stream), place)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from None
    if zlib.crc32(content) != info.CRC or len(content) != info.file_size:
        raise zipfile.BadZipFile("content that does not match its CRC-32 or size")
    return content


def _unsafe(info: zipfile.ZipInfo, where: str) -> Problem | None:
    """Name what is wrong with a member's name or claims; None where nothing is."""
    name = info.filename
    parts = name.replace("\\", "/").split("/")
    if ".." in parts or name.startswith(("/", "\\")) or "\\" in name or ":" in parts[0] or "\0" in info.orig_filename:
        return Problem(
            "archive-path",
            where,
            "members inside the archive's own folder",
            f"the name {name[:80]!r}",
            "Do not use this archive: its names reach outside.",
        )
    if info.flag_bits & _ENCRYPTED:
        return Problem("archive-encrypted", f"{where} {name[:80]}", "a plain member", "an encrypted one", "Decrypt it.")
    if info.file_size > MEMBER_BYTES:
        return Problem(
            "archive-too-large",
            f"{where} {name[:80]}",
            f"at most {MEMBER_BYTES} bytes in a member",
            f"{info.file_size} claimed",
            _SPLIT,
        )
    return None


def _refusal(code: str, where: str, expected: str, found: str, remedy: str) -> Refusal:
    return Refusal([Problem(code, where, expected, found, remedy)])
