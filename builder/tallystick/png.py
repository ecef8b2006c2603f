"""The parts that a PNG file is made of."""

from __future__ import annotations

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
HEADER = struct.Struct(">IIBBBBB")
"""What the first chunk, IHDR, holds: width, height, bits, and how colours and rows are written."""


def chunk(name: bytes, content: bytes) -> bytes:
    """Return a chunk: its length, name, content and checksum."""
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
