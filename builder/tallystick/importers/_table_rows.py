"""The rows of a plain table, whatever it is written in: CSV, JSON Lines or Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tallystick.errors import Problem, Refusal
from tallystick.logs import LIMITS, LogFile, objects, table


def columns(file: LogFile) -> tuple[str, ...]:
    """Return the names of the columns; nothing where the file is no table, or the reader of its kind is absent."""
    if file.kind == "csv":
        return tuple(file.head)
    if file.kind in {"json", "lines"}:
        first = file.head[0] if isinstance(file.head, list) and file.head else file.head
        return tuple(first) if isinstance(first, dict) else ()
    if file.kind == "parquet":
        return tuple(_parquet(file).schema_arrow.names)
    return ()


def rows(file: LogFile) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield where each row stands and its cells: text from CSV, values from the others."""
    if file.kind == "csv":
        yield from table(file)
    elif file.kind in {"json", "lines"}:
        yield from objects(file)
    else:
        number = 0
        for batch in _parquet(file).iter_batches():
            for row in batch.to_pylist():
                number += 1
                yield f"{file.name} row {number}", row


def _parquet(file: LogFile) -> Any:  # noqa: ANN401 - pyarrow has no types
    try:
        import pyarrow as pa  # type: ignore[import-untyped]  # pyarrow has no types
        from pyarrow import parquet
    except ImportError:
        remedy = "Install Tallystick with its extra `parquet`, or give the table as CSV or JSON Lines."
        raise Refusal([Problem("parquet-missing", file.name, "a reader of Parquet", "none", remedy)]) from None
    try:
        opened = parquet.ParquetFile(file.path)
    except (pa.ArrowException, OSError) as error:
        raise Refusal(
            [Problem("parquet-broken", file.name, "a Parquet file", str(error)[:80], "Write it again.")]
        ) from None
    metadata = opened.metadata
    size = sum(metadata.row_group(index).total_byte_size for index in range(metadata.num_row_groups))
    if size > LIMITS.document:
        expected = f"at most {LIMITS.document} bytes unpacked"
        raise Refusal([Problem("file-too-large", file.name, expected, f"{size}", "Keep only the columns needed.")])
    return opened
