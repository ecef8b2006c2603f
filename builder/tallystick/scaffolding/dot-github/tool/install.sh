#!/bin/sh
# Install the program named in tallystick.txt into the Python at hand, with the dependencies pinned beside it.
set -eu
here=$(dirname "$0")
if ! grep -q '^tallystick' "$here/tallystick.txt"; then
  echo ".github/tool/tallystick.txt names no program: write one line there, as its comment says." >&2
  exit 2
fi
# Each version of Python has dependencies of its own, and these are pinned for one.
if ! python -I -c 'import sys; sys.exit(sys.version_info[:2] != (3, 13))'; then
  echo "dependencies.txt is for Python 3.13; here is $(python -I --version 2>&1 || true). Make the environment with:" >&2
  echo "  python3.13 -m venv .venv" >&2
  exit 2
fi
# -I: nothing in the folder that is being checked may stand in for a module.
python -I -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
  -r "$here/dependencies.txt"
python -I -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -r "$here/tallystick.txt"
tallystick --version
