"""Tables that can be cited for ever: what they hold, where they lie, and their own data files, which never change.

A frozen table is one JSON file in RFC 8785 form, named by its SHA-256. A ledger beside the benchmarks lists them all,
so that one that changed or vanished stops the build.
"""

from tallystick.frozen.change import Change, changes, differences
from tallystick.frozen.content import FORMAT, document, same_table, table
from tallystick.frozen.files import LEDGER, add, load, parse
from tallystick.frozen.writers import as_bibtex, as_csv, as_latex, interval_text, value_text

__all__ = [
    "FORMAT",
    "LEDGER",
    "Change",
    "add",
    "as_bibtex",
    "as_csv",
    "as_latex",
    "changes",
    "differences",
    "document",
    "interval_text",
    "load",
    "parse",
    "same_table",
    "table",
    "value_text",
]
