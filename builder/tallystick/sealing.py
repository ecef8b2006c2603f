"""Write the seal of a native report into its file."""

from __future__ import annotations

import json
from pathlib import Path

from tallystick import digest, strict
from tallystick.errors import Problem, Refusal, UsageError
from tallystick.replacing import replace_file


def seal_file(path: Path) -> str:
    """Seal the report in `path` in place and return the seal; the file is replaced whole or not at all.

    Raises UsageError where the file cannot be read or written, Refusal where it is no strict JSON or no native report.
    """
    try:
        report = strict.json_object(path.read_bytes(), path.name)
        if report.get("format") != "tallystick-report/1":
            found = strict.describe(report.get("format"))
            remedy = "Only native reports carry a seal; other formats bring hashes of their own."
            raise Refusal([Problem("format-unknown", f"{path.name} /format", "tallystick-report/1", found, remedy)])
        report["seal"] = digest.seal(report)
        replace_file(path, (json.dumps(report, ensure_ascii=False, indent=1) + "\n").encode())
    except OSError as error:
        found = (error.strerror or type(error).__name__).lower()
        remedy = "Name a file that you may read and write."
        raise UsageError([Problem("file-unusable", str(path), "a report file", found, remedy)]) from error
    return str(report["seal"])
