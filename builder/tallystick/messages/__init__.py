"""Say what verification found: as text for a terminal, JSON for programs, and as Markdown, workflow commands and SARIF.

One file for each form. Names and values come from strangers' reports: each form neutralises what its reader would take
for a command.
"""

from collections.abc import Callable, Iterable, Mapping

from tallystick.messages.annotations import github
from tallystick.messages.inert import printable
from tallystick.messages.jsons import as_json, since
from tallystick.messages.markdown import SUMMARY_LINES, markdown, write_summary
from tallystick.messages.sarif import sarif
from tallystick.messages.text import brief, text
from tallystick.messages.verdicts import Verdict, below, beyond, exit_status, tally, verdicts
from tallystick.proposal import Proposal

FORMATS: Mapping[str, Callable[[Iterable[Verdict], Proposal | None, int], str]] = {
    "text": text,
    "markdown": markdown,
    "json": as_json,
    "github": github,
    "sarif": sarif,
}
"""By name; each takes the verdicts, the proposal where a change was judged, and how many more verdicts are known."""

__all__ = [
    "FORMATS",
    "SUMMARY_LINES",
    "Verdict",
    "below",
    "beyond",
    "brief",
    "exit_status",
    "printable",
    "since",
    "tally",
    "verdicts",
    "write_summary",
]
