# make demo   publish the sample data: table, certificate and report in demo/release
# make test   lint, types, import layers and the whole test suite
# make quick  lint, types and the fast layer of tests
# make oldest    a layer of tests with the oldest supported versions of all dependencies, in .venv-oldest
# make coverage  branch coverage of the core's tests, by package
# make docs      the site, in site/
# make pictures  the pictures of the pages again, in a browser
# make counts    the table of "How we test", from the files that campaigns left
# make gallery   the pictures of the gallery
# make robust-everywhere   the robustness tests with the instructions of older CPUs, with one thread and two
# All set everything up in .venv by themselves.
PYTHON ?= python3
BIN := .venv/bin
# The fast layer: definitions and tables, each test in milliseconds. By folders, for to collect all tests takes longer.
QUICK := tests/unit/privacy tests/unit/datasets

.PHONY: demo test quick lint types layers pytest docs pictures counts gallery oldest coverage robust-everywhere bench campaign hostile mutants format clean

demo: .venv/all
	$(BIN)/nymity demo --out demo/release

test: lint types layers pytest

quick: lint types .venv/dev
	PYTHONDONTWRITEBYTECODE= POLARS_MAX_THREADS=1 $(BIN)/pytest -q -n 2 $(QUICK)

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev
	$(BIN)/mypy

layers: .venv/dev
	$(BIN)/lint-imports

# Two workers fill two cores; threads of polars within them would only get in each other's way. Many tests start
# processes: they find compiled modules, also where the shell says that none are to be written.
pytest: .venv/dev
	PYTHONDONTWRITEBYTECODE= POLARS_MAX_THREADS=1 $(BIN)/pytest -n 2 --dist worksteal

docs: .venv/dev
	$(BIN)/zensical build --clean --strict

pictures: .venv/dev
	$(BIN)/python docs/pictures.py

# What reads, writes, encodes, draws and solves by another library. Without the lab and torch.
oldest: .venv-oldest/ready
	.venv-oldest/bin/pytest -q -n 2 tests/unit/io tests/unit/core tests/unit/table tests/unit/report tests/unit/privacy \
	  tests/unit/publishing/test_release_write.py tests/unit/publishing/test_signing.py tests/unit/publishing/test_check.py \
	  tests/unit/publishing/test_custody.py tests/unit/partition/test_exact.py tests/unit/dp/test_mechanisms.py \
	  tests/unit/utility/test_learning.py tests/unit/cli/test_cli_publish.py

coverage: .venv/dev
	$(BIN)/coverage run -m pytest -q -n 0 tests/unit/core tests/unit/io tests/unit/table tests/unit/privacy \
	  tests/unit/quality tests/unit/publishing tests/conformance
	$(BIN)/coverage json -q -o .coverage.json
	$(BIN)/python -m tests.coverage_by_package .coverage.json

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
	NYMITY_EXAMPLES=all $(BIN)/pytest -q -n 2 -m property

hostile: .venv/dev
	NYMITY_HOSTILE=all NYMITY_TALLY=$(CURDIR)/tally.jsonl $(BIN)/pytest -q -rs tests/hostile
	$(BIN)/python -m tests.hostile.wild --cases 20000 --out wild.json

mutants: .venv/dev
	$(BIN)/python -m tests.mutation --per-module 2 --seed 16 --go-on

counts: .venv/dev
	$(BIN)/python -m tests.counts

gallery: .venv/dev
	$(BIN)/python -m tests.gallery

format: .venv/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv .venv-oldest demo build dist

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

.venv-oldest/ready: pyproject.toml tests/oldest.txt
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet -c tests/oldest.txt -e ".[all]" hypothesis pytest pytest-xdist
	@touch $@
