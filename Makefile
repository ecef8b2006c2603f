# `make site` builds the example site into site/; `make test` runs every check. Each does its own set-up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: site test serve check lint types imports pytest lock clean

site: $(VENV)/.installed
	$(BIN)/tallystick build

serve: $(VENV)/.installed
	$(BIN)/tallystick serve

check: $(VENV)/.installed
	$(BIN)/tallystick check

test: lint types imports pytest

lint: $(VENV)/.tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.tested
	$(BIN)/mypy

imports: $(VENV)/.tested
	$(BIN)/lint-imports

pytest: $(VENV)/.tested
	$(BIN)/pytest -n auto

# What the workflows of a new board install: newest versions, each file by its hash, for the Python named there.
LOCK := builder/tallystick/scaffolding/dot-github/tool/dependencies.txt
lock: $(VENV)/.tested
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	{ sed -n '/^#/p' $(LOCK); echo 'hatchling>=1.27' | $(BIN)/uv pip compile --quiet --upgrade --generate-hashes \
	  --no-annotate --no-header --python-version 3.13 --python-platform linux pyproject.toml -; } > $(LOCK).new
	mv $(LOCK).new $(LOCK)

# The stamps carry the dependencies' only source, so a changed pyproject.toml installs again.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Tallystick needs Python 3.11 or newer; run: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.tested: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
