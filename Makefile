# Two commands set everything up on a machine that has only Python 3.11+, pip, make and git:
#   make run    a demo project, and what an agent is told at the start of a turn
#   make test   lint, strict types, all tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := .demo

.PHONY: run test lint types tests reference lock bench conformance schemathesis escapes clean

run: $(VENV)/.installed
	@HANSARD_DB=$(DEMO)/hansard.db XDG_DATA_HOME=$(DEMO) $(BIN)/hansard demo

test: lint types tests

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

tests: $(VENV)/.installed-dev
	$(BIN)/pytest -n 2

# Writes docs/reference from the code; a test fails while the two differ.
reference: $(VENV)/.installed-dev
	$(BIN)/python scripts/write_reference.py

# Pins every dependency by version and hash. Run after changing pyproject.toml.
LOCK := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-header --no-annotate --quiet
lock: $(VENV)/.installed-dev
	$(BIN)/$(LOCK) --output-file requirements.lock
	$(BIN)/$(LOCK) --extra postgres --constraint requirements.lock --output-file requirements-postgres.lock
	$(BIN)/$(LOCK) --group dev --constraint requirements.lock --output-file requirements-dev.lock

# Prints every bar of the product as a ratio to a reference measured in the same run.
bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks

# Runs the official MCP suite against `hansard serve`; needs npx and the npm registry.
conformance: $(VENV)/.installed
	$(BIN)/python scripts/conformance.py

# Many more requests than the suite makes, from the OpenAPI document: right ones and wrong ones.
schemathesis: $(VENV)/.installed
	HANSARD_SCHEMATHESIS_EXAMPLES=200 $(BIN)/python -m pytest -q -n 2 tests/rest/test_schemathesis.py

# Many more texts that try to leave their item, in blocks, tools' answers and files of the mirror, than the suite tries.
escapes: $(VENV)/.installed-dev
	HANSARD_PROPERTY_EXAMPLES=20000 $(BIN)/pytest -n 2 tests/properties/test_rendering.py \
		tests/properties/test_mirror.py

clean:
	rm -rf $(VENV) $(DEMO) .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests benchmarks scripts -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements.lock pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/.installed-dev: requirements-dev.lock $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@
