"""One file per kind of evaluation report; each defines PROTOCOL."""
