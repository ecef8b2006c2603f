"""Foreign log files, read within limits: what a file is, its digest, and its content piece by piece.

Logs are hostile until sealed: every size is counted while reading, whatever a header claims.
"""

from tallystick.logs.archive import member, member_names
from tallystick.logs.files import LIMITS, Limits, LogFile, gather
from tallystick.logs.reading import objects, table
from tallystick.logs.scan import parse

__all__ = [
    "LIMITS",
    "Limits",
    "LogFile",
    "gather",
    "member",
    "member_names",
    "objects",
    "parse",
    "table",
]
