"""Parse, call, print, exit status."""

from __future__ import annotations


def main() -> int:
    """Run the command."""
    return 0
