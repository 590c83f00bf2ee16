# `make derive` and `make test` need Python, make and a package index on their first run, and nothing else.
# What they set up is in .venv; a stamp there is older than pyproject.toml when it has to be set up again.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
PYTEST := $(RUN) -m pytest --numprocesses auto --maxprocesses 8 --dist worksteal
INSTALL := $(RUN) -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := derive
.PHONY: derive test nightly fuzz pycuda pycuda-wheel browser frameworks environment gpu wheelhouse docs lint \
    drift suite check fmt clean help

derive: $(VENV)/installed ## derive every layer of derive/, write generated/, print their gradients and what to do next
	@$(RUN) -m lngen derive
	@echo
	@$(RUN) -m lngen derive layer_norm
	@echo '`. .venv/bin/activate` puts lngen on your path, and docs/how_to/own_layer.md has a layer of your own.'

test: $(VENV)/installed-test ## a sample of every kind of evidence, in minutes; names what this machine cannot run
	$(PYTEST)

nightly: $(VENV)/installed-test ## planted mistakes, every layer at every architecture and type; hours; keeps its result
	LNGEN_NIGHTLY=tests/nightly/last_run.txt $(PYTEST) -m 'exhaustive or matrix'

pycuda: $(VENV)/installed-test ## build PyCUDA once, without a GPU, and install it; needs g++
	$(RUN) tools/build_pycuda.py

pycuda-wheel: $(VENV)/installed-test # what takes long of it, while others install: nothing is put into the environment
	$(RUN) -c 'from tools.build_pycuda import VERSION, installed, wheelhouse; print(installed() or wheelhouse(VERSION))'

browser: $(VENV)/installed-browser ## install what drives Chromium in the tests of the pages

frameworks: $(VENV)/installed-frameworks ## install PyTorch, a build for the processor if there is one, for the tests of it

fuzz: $(VENV)/installed-test ## N random definitions against 60-digit differences, going on where it stopped; N SEED
	$(RUN) -m tests.fuzz -n $(or $(N),200) --seed $(or $(SEED),0)

gpu: ## on a machine with a GPU: smoke test, tests, benchmark, compute-sanitizer; without network WHEELHOUSE=folder
	$(PYTHON) -m tools.gpu $(if $(WHEELHOUSE),--wheelhouse '$(WHEELHOUSE)') $(if $(RESULTS),--results '$(RESULTS)') \
	    $(if $(SECONDS),--seconds $(SECONDS))

wheelhouse: ## collect the wheels for `make gpu` without network; WHEELHOUSE PYTHON_VERSION PYCUDA_WHEEL
	$(PYTHON) -m tools.gpu.wheelhouse '$(or $(WHEELHOUSE),build/wheels)' \
	    $(if $(PYTHON_VERSION),--python-version $(PYTHON_VERSION)) $(if $(PYCUDA_WHEEL),--pycuda-wheel '$(PYCUDA_WHEEL)')

lint: $(VENV)/installed-dev ## formatting, ruff, mypy; emitted code against ruff's default rules
	$(RUN) -m ruff format --check .
	$(RUN) -m ruff check .
	@if [ -d generated ]; then set -x; $(RUN) -m ruff check --isolated generated; fi
	$(RUN) -m mypy

docs: $(VENV)/installed-docs ## the documentation as pages, into build/site
	$(RUN) -m mkdocs build --quiet

drift: $(VENV)/installed # generated/ against what lngen emits
	$(RUN) -m lngen derive --check

suite: $(VENV)/installed-test $(VENV)/installed-docs # the tests of `make test` and of the tier ci
	$(PYTEST) -m 'not matrix and not exhaustive'

check: lint drift suite ## lint, generated/ against what lngen emits, the tests of `make test` and of the tier ci

fmt: $(VENV)/installed-dev ## format the code and put right what ruff can
	$(RUN) -m ruff format .
	$(RUN) -m ruff check --fix .

clean: ## remove .venv and every cache; generated/ is kept
	rm -rf $(VENV) build dist .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

$(VENV)/installed: pyproject.toml | $(VENV)/bin/pip
	$(INSTALL) --editable .
	@touch $@

EXTRAS := test dev docs browser frameworks
$(EXTRAS:%=$(VENV)/installed-%): $(VENV)/installed-%: pyproject.toml | $(VENV)/bin/pip
	$(INSTALL) --editable '.[$*]'
	@touch $@ $(VENV)/installed

environment: | $(VENV)/bin/pip # all of them by one run of pip
	$(INSTALL) --editable ".[$$(echo $(EXTRAS) | tr ' ' ,)]"
	@touch $(EXTRAS:%=$(VENV)/installed-%) $(VENV)/installed

# A half-made environment would be taken for a whole one, so it is removed.
$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "lngen needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1)." \
	         "Name another one: make PYTHON=python3.12" >&2; exit 1; }
	@if $(PYTHON) -c 'import venv, ensurepip' 2>/dev/null; then set -- $(PYTHON) -m venv; \
	elif $(PYTHON) -c 'import virtualenv' 2>/dev/null; then set -- $(PYTHON) -m virtualenv --quiet; \
	elif command -v virtualenv >/dev/null; then set -- virtualenv --quiet --python '$(PYTHON)'; \
	else echo "'$(PYTHON)' cannot make a virtual environment: its venv module is not installed." \
	          "On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; fi; \
	"$$@" $(VENV) || { rm -rf $(VENV); exit 1; }
