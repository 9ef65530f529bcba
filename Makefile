# make demo   publish the sample data: table, certificate and report in demo/release
# make test   lint, types, import layers and the whole test suite
# make quick  lint, types and the fast layer of tests
# make robust-everywhere   the robustness tests with the instructions of older CPUs, with one thread and two
# All set everything up in .venv by themselves.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test quick lint types layers pytest robust-everywhere bench campaign hostile mutants format clean

demo: .venv/all
	$(BIN)/nymity demo --out demo/release

test: lint types layers pytest

quick: lint types .venv/dev
	$(BIN)/pytest -q -n 2 -m quick tests

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev
	$(BIN)/mypy

layers: .venv/dev
	$(BIN)/lint-imports

# Two workers fill two cores; threads of polars within them would only get in each other's way.
pytest: .venv/dev
	POLARS_MAX_THREADS=1 $(BIN)/pytest -n 2 --dist worksteal

# Sums are rounded in another order by other instructions and by more threads; no test may depend on that.
robust-everywhere: .venv/dev
	@set -e; for isa in SSE41 AVX2 DEFAULT; do for threads in 1 2; do \
	  echo "instructions up to $$isa, $$threads threads"; \
	  DNNL_MAX_CPU_ISA=$$isa NYMITY_TEST_THREADS=$$threads $(BIN)/pytest -q -n 0 packages/nymity-robust/tests; \
	done; done

bench: .venv/dev
	$(BIN)/nymity bench lattice

campaign: .venv/dev
	$(BIN)/python -m tests.campaign --jobs 20000
	NYMITY_ADVERSARY=large $(BIN)/pytest -q -n 2 tests/adversary
	NYMITY_CAMPAIGN=large $(BIN)/pytest -q -n 2 tests/properties/test_masked_class.py

hostile: .venv/dev
	NYMITY_HOSTILE=all $(BIN)/pytest -q -rs tests/hostile
	$(BIN)/python -m tests.hostile.wild --cases 20000 --out wild.json

mutants: .venv/dev
	$(BIN)/python -m tests.mutation --per-module 2 --seed 16 --go-on

format: .venv/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv demo build dist

.venv/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "nymity needs Python 3.11 or newer; try: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	@touch $@

.venv/all: .venv/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt -e ".[all]"
	@touch $@

.venv/dev: .venv/python pyproject.toml packages/nymity-lab/pyproject.toml packages/nymity-robust/pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt -e ".[dev]" -e packages/nymity-lab -e packages/nymity-robust
	@touch $@ .venv/all
