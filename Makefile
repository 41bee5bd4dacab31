# The book and its tests. `make help` lists the commands. Each does its own set-up in .venv.
PYTHON ?= python3
WORKERS ?= auto
# Another index for PyTorch. Without one, PyPI's wheel for Linux brings gigabytes of CUDA libraries.
TORCH_INDEX ?=

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
PACKAGE := $(shell find course_attn whywrong -name '*.py' -o -name '*.html' -o -name '*.css' -o -name '*.bundle.js')
FRAME := _config.yml _toc.yml tools/book.py tools/reading_times.py tools/runtime.py \
  $(shell find book/_static book/_extensions book/_parts -type f -not -name "*.pyc" -not -name "*.test.js")

.PHONY: help book bundles slides figures pdf check test exhaustive lab lint bench clean
.DEFAULT_GOAL := help

help:
	@echo "make book        build the book (result: _build/html/index.html)"
	@echo "make slides      the chapters as slides (result: _build/slides)"
	@echo "make figures     all figures as SVG and PNG (result: _build/figures.zip)"
	@echo "make pdf         the book as one PDF (result: _build/attention.pdf)"
	@echo "make check       the quick tests: lint, functions, twins, the engine of the exercises; no book, no browser"
	@echo "make test        the tests of every change: package, exercises, notebooks, built pages"
	@echo "make exhaustive  all tests, of which make test runs a sample; a release needs it"
	@echo "make lab         open the notebooks in JupyterLab"
	@echo "make lint        check style, formatting, imports and types"
	@echo "make bundles     make the scripts that pages carry, after a change of one; needs npm's registry once"
	@echo "make bench       measure attention, the language model and grading; results go to benchmarks/results"
	@echo "make clean       remove the built book and caches (.venv stays)"

# The environment is made once, and again when the pins or the package's metadata change.
.venv/.installed: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; name one with: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv
	$(PIP) -r requirements.txt $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))
	$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

# Sphinx rebuilds the pages whose text changed. What it does not notice: a changed package makes the
# results of all notebooks stale, and a changed frame (configuration, styles) makes all pages stale.
_build/.package: $(PACKAGE)
	@rm -rf _build
	@mkdir -p _build && touch $@

_build/.frame: $(FRAME) | _build/.package
	@rm -rf _build/html _build/.doctrees
	@mkdir -p _build && touch $@

book: .venv/.installed _build/.package _build/.frame
	$(BIN)/python -m tools.runtime
	$(BIN)/python -m tools.execute_notebooks
	$(BIN)/jupyter-book build . -W -n --keep-going
	@echo "Open _build/html/index.html"

slides figures pdf: book
	$(BIN)/python -m tools.$@

# Bytecode is kept, whatever the user's own setting: pytest would rewrite all modules each time.
PYTEST := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 \
  $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

check: lint
	$(PYTEST) -m "not slow and not exhaustive and not site" tests/test_scripts.py tests/chapters tests/twins tests/whywrong --ignore=tests/whywrong/grade --ignore=tests/whywrong/classroom

test: book
	@echo "Of what takes long this is a sample; make exhaustive, which a release needs, runs all tests."
	$(PYTEST) --book-required
	$(HOOKED)

# One of several shards, such as the first of four: make exhaustive SHARD=1/4
exhaustive: book
	$(PYTEST) --book-required -m "" $(if $(SHARD),--group $(subst /, --splits ,$(SHARD)))
	$(HOOKED)

# The annotations are true, too: beartype compares them with what the functions get and give, in
# all calls of the twins' tables and in the tests of layers. Bad input is left out: it would be
# refused there before our own contracts see it.
HOOKED = $(PYTEST) -m "not without_hook and not slow and not exhaustive" \
  --jaxtyping-packages=course_attn.in_numpy,course_attn.in_torch,beartype.beartype \
  course_attn/in_numpy course_attn/in_torch \
  tests/twins/test_values.py tests/chapters/*/test_layers.py tests/parity

lab: .venv/.installed
	$(BIN)/jupyter lab book

# It looks for nothing outside: neither for a newer version of itself nor for modules.
DENO = DENO_DIR=.deno_cache DENO_NO_UPDATE_CHECK=1 $(BIN)/deno
SCRIPTS = $(shell git ls-files '*.js' ':!*vendor*' ':!*.bundle.js')

bundles: .venv/.installed
	$(BIN)/python -m tools.bundle

lint: .venv/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/mypy --no-error-summary
	$(DENO) fmt --quiet --check $(SCRIPTS)
	$(DENO) lint --quiet book course_attn tools
	$(DENO) check --quiet --no-remote book course_attn tools/slides/slides.js
	$(BIN)/python -m tools.bundle --check
	$(BIN)/nbstripout --keep-id --verify $(wildcard book/*.ipynb book/exercises/*.ipynb)
	$(BIN)/python -m tools.setup_cells --check
	$(BIN)/python -m tools.reading_times --check

bench: .venv/.installed
	$(BIN)/python -m benchmarks.attention
	$(BIN)/python -m benchmarks.language_model
	for name in parts induction recall classroom grading; do $(BIN)/python -m benchmarks.$$name || exit 1; done

clean:
	rm -rf _build dist .deno_cache .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find course_attn whywrong tests tools book -name __pycache__ -prune -exec rm -rf {} +
