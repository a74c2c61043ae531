# Everything a newcomer or CI does, by name. `make demo` and `make test` set up what they need.
export CPPFLAGS := -DPyEval_CallObject=PyObject_CallObject
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
LOCK ?= locks/dev.txt

.PHONY: setup demo test lint types contracts rules locks all-extras pythons bench bench-peers accuracy understanding deep

setup: $(VENV)/.ready

# durable-rules is built without any cache: a wheel built without CPPFLAGS would be taken again and fail to import.
$(VENV)/.ready: pyproject.toml $(LOCK) locks/durable.txt
ifdef UV
	uv venv --quiet --allow-existing --python $(PYTHON) $(VENV)
	uv pip install --quiet --python $(BIN)/python --no-cache --no-deps --require-hashes -r locks/durable.txt
	uv pip install --quiet --python $(BIN)/python --require-hashes -r $(LOCK)
	uv pip install --quiet --python $(BIN)/python --no-deps -e .
else
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-cache-dir --no-deps --require-hashes -r locks/durable.txt
	$(BIN)/python -m pip install --quiet --require-hashes -r $(LOCK)
	$(BIN)/python -m pip install --quiet --no-deps -e .
endif
	$(BIN)/python -c "import durable.lang"
	$(BIN)/python -m compileall -q advisor bots
	touch $@

demo: setup
	@$(BIN)/hkgpu ask "can I fine-tune 70B here?"

test: setup
	$(BIN)/pytest

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: setup
	$(BIN)/mypy

contracts: setup
	$(BIN)/lint-imports

rules: setup
	$(BIN)/hkgpu rules check
	$(BIN)/hkgpu rules test
	$(BIN)/hkgpu rules coverage
	$(BIN)/hkgpu rules mutate

# One environment with every extra: proves that the version bounds go together.
all-extras:
	$(MAKE) setup VENV=.venv-all LOCK=locks/all.txt
	.venv-all/bin/python -c "import gradio, mcp, slack_bolt, psycopg, ray"

# The other interpreters we promise, where they are installed.
pythons:
	for version in 3.12 3.13; do \
	    found=; \
	    for python in python$$version $$(ls -d "$$(pyenv root 2>/dev/null)"/versions/$$version.*/bin/python 2>/dev/null); do \
	        if "$$python" -c "" 2>/dev/null; then found=$$python; fi; \
	    done; \
	    if [ -z "$$found" ]; then echo "python$$version is not here"; continue; fi; \
	    $(MAKE) test VENV=.venv-$$version PYTHON="$$found" || exit 1; \
	done

# Lock files name no index: the hashes alone say what may be installed.
locks:
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 \
	    --custom-compile-command "make locks" pyproject.toml --group dev -o locks/dev.txt
	uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 \
	    --custom-compile-command "make locks" pyproject.toml --group dev --all-extras -o locks/all.txt
	{ echo "# Written by: make locks"; sed -n '/^durable-rules==/,/[^\\]$$/p' locks/dev.txt; } > locks/durable.txt

# Figures, not tests: they print and judge nothing.
bench: setup
	$(BIN)/python -m tests.bench.speed

# Other calculators, each in an environment of its own under .venv-peers; one that cannot be installed is said so.
bench-peers: setup
	grep -v '^#' tests/accuracy/peers.txt | while read -r peer; do \
	    home=.venv-peers/$${peer%%>*}; \
	    [ -f $$home/.ready ] || { $(PYTHON) -m venv $$home && \
	        $$home/bin/python -m pip install --quiet "$$peer" && touch $$home/.ready; } || echo "$$peer: not installed"; \
	done
	$(BIN)/python -m tests.accuracy.peers

accuracy: setup
	$(BIN)/python -m tests.accuracy.memory
	$(BIN)/python -m tests.accuracy.speed
	$(BIN)/python -m tests.accuracy.cases

understanding: setup
	$(BIN)/python -m tests.accuracy.understanding

# What is heavier than a commit needs.
deep: setup
	$(BIN)/pytest -m deep

# Pages that are written from the data.
docs: setup
	$(BIN)/python -m tests.house.seeds_doc
	$(BIN)/hkgpu rules docs
