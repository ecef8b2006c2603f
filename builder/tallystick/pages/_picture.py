"""A board's picture for link previews: its leading estimates with their intervals, as a PNG without any text.

The title stands beside the picture in every preview. Bytes are stored, not compressed, so that they are the same
whatever library a Python was built with.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

from tallystick.board import Board, Interval
from tallystick.pages._figures import Axis, axis_over
from tallystick.png import HEADER, SIGNATURE, chunk

WIDTH, HEIGHT = 600, 315
EDGE, ROWS = 40, 12
PAPER, INK, MARK, LINE = range(4)
COLOURS = bytes.fromhex("ffffff15191c0072b2c3cacd")
STORED_AT_MOST = 65_535


def picture(board: Board) -> bytes:
    """Draw the leading complete entries by the primary metric."""
    shown = []
    for entry in board.entries:
        estimate = entry.estimates.get(board.benchmark.primary)
        if entry.complete and estimate is not None and estimate.value is not None:
            shown.append((estimate.value, estimate.interval or Interval(estimate.value, estimate.value)))
    shown = shown[:ROWS]
    ends = [end for _, interval in shown for end in (interval.lower, interval.upper)]
    axis = axis_over(ends, start=EDGE, width=WIDTH - 2 * EDGE)
    return _png(_drawn(shown, axis) if axis is not None else [bytearray(WIDTH)] * HEIGHT)


def _drawn(shown: Sequence[tuple[float, Interval]], axis: Axis) -> list[bytearray]:
    rows = [bytearray(WIDTH) for _ in range(HEIGHT)]
    for tick in axis.ticks:
        _fill(rows, axis.at(tick) - 0.5, EDGE / 2, axis.at(tick) + 0.5, HEIGHT - EDGE / 2, LINE)
    step = (HEIGHT - 2 * EDGE) / max(len(shown), 6)
    for place, (value, interval) in enumerate(shown):
        y = EDGE + step * (place + 0.5)
        left, right = axis.at(interval.lower), axis.at(interval.upper)
        _fill(rows, left, y - 1, right, y + 1, INK)
        for end in (left, right):
            _fill(rows, end - 1, y - 5, end + 1, y + 5, INK)
        _fill(rows, axis.at(value) - 5, y - 5, axis.at(value) + 5, y + 5, MARK)
    return rows


def _fill(rows: list[bytearray], left: float, top: float, right: float, bottom: float, colour: int) -> None:
    first, last = max(round(left), 0), min(max(round(right), round(left) + 1), WIDTH)
    for y in range(max(round(top), 0), min(max(round(bottom), round(top) + 1), HEIGHT)):
        rows[y][first:last] = bytes([colour]) * (last - first)


def _png(rows: Sequence[bytearray]) -> bytes:
    """Write rows of palette indices as a PNG of two bits a pixel."""
    packed = b"".join(
        b"\0" + bytes(a << 6 | b << 4 | c << 2 | d for a, b, c, d in zip(*[iter(row)] * 4, strict=True)) for row in rows
    )
    head = HEADER.pack(WIDTH, HEIGHT, 2, 3, 0, 0, 0)
    parts = ((b"IHDR", head), (b"PLTE", COLOURS), (b"IDAT", _stored(packed)), (b"IEND", b""))
    return SIGNATURE + b"".join(chunk(name, content) for name, content in parts)


def _stored(content: bytes) -> bytes:
    """Return a zlib stream of stored blocks (RFC 1950, 1951)."""
    blocks = [content[start : start + STORED_AT_MOST] for start in range(0, len(content), STORED_AT_MOST)]
    written = b"".join(
        struct.pack("<BHH", place == len(blocks) - 1, len(block), len(block) ^ 0xFFFF) + block
        for place, block in enumerate(blocks)
    )
    return b"\x78\x01" + written + struct.pack(">I", zlib.adler32(content))
