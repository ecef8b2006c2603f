"""One file per command; each defines COMMAND. They import the program only when they run, so that --help is quick."""
