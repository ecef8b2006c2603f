"""One file per foreign log format; each defines IMPORTER."""
