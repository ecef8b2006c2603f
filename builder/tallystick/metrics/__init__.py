"""One file per kind of metric; each defines METRIC."""
