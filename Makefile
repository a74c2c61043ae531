# Everything a newcomer or CI does, by name. `make demo` and `make test` set up what they need.
export CPPFLAGS := -DPyEval_CallObject=PyObject_CallObject
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)

.PHONY: setup demo web slack test machine lint types contracts rules audit site locks pythons docs bench bench-peers accuracy understanding deep

# What the product needs: make demo, make web, make slack.
$(VENV)/.base: pyproject.toml locks/base.txt locks/durable.txt
	$(call into,$(VENV),locks/base.txt)

# The same, and every extra and tool of development: make test and all that follows.
setup: $(VENV)/.ready
$(VENV)/.ready: pyproject.toml locks/dev.txt locks/durable.txt
	$(call into,$(VENV),locks/dev.txt)

# durable-rules is built without any cache: a wheel built without CPPFLAGS would be taken again and fail to import.
ifdef UV
define into
	uv venv --quiet --allow-existing --python $(PYTHON) $(1)
	uv pip install --quiet --python $(1)/bin/python --no-cache --no-deps --require-hashes -r locks/durable.txt
	uv pip install --quiet --python $(1)/bin/python --require-hashes -r $(2)
	uv pip install --quiet --python $(1)/bin/python --no-deps -e .
	$(call proven,$(1))
endef
else
define into
	$(PYTHON) -m venv $(1)
	$(1)/bin/python -m pip install --quiet --no-cache-dir --no-deps --require-hashes -r locks/durable.txt
	$(1)/bin/python -m pip install --quiet --require-hashes -r $(2)
	$(1)/bin/python -m pip install --quiet --no-deps -e .
	$(call proven,$(1))
endef
endif
define proven
	$(1)/bin/python -c "import durable.lang"
	$(1)/bin/python -m compileall -q advisor bots
	touch $@
endef

demo: $(VENV)/.base
	@$(BIN)/hkgpu ask "can I fine-tune 70B here?"

web: $(VENV)/.faces
	$(BIN)/hkgpu web

slack: $(VENV)/.faces
	$(BIN)/hkgpu slack

$(VENV)/.faces: pyproject.toml locks/faces.txt locks/durable.txt
	$(call into,$(VENV),locks/faces.txt)

# What CI needs of Debian: a browser with Chinese letters for the page, systemd's own check for the units. On a user's
# machine the tests that need them are skipped with the reason.
machine:
	@command -v chromium >/dev/null && command -v systemd-analyze >/dev/null && fc-list :lang=zh | grep -q . || \
	    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
	    chromium fonts-noto-cjk fontconfig systemd >/dev/null; }

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

# Lock files name no index: the hashes alone say what may be installed. One resolution serves all three.
LOCKED := uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 \
    --custom-compile-command "make locks" pyproject.toml
locks:
	$(LOCKED) --group dev --all-extras -o locks/dev.txt
	$(LOCKED) --constraint locks/dev.txt --extra web --extra slack --extra mcp --extra postgres -o locks/faces.txt
	$(LOCKED) --constraint locks/dev.txt -o locks/base.txt
	{ echo "# Written by: make locks"; sed -n '/^durable-rules==/,/[^\\]$$/p' locks/dev.txt; } > locks/durable.txt

# Figures, not tests: they print and judge nothing.
bench: setup
	$(BIN)/python -m tests.bench.speed
	$(BIN)/python -m tests.bench.sweep
	$(BIN)/python -m tests.bench.mcp
	$(BIN)/python -m tests.bench.slack
	$(BIN)/python -m tests.bench.web

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

# Locked packages against known advisories, from a file in the tree.
audit: setup
	$(BIN)/python -m tests.deploy.audit

# The documentation as a site, in build/site; warnings are errors.
site: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict

# Pages that are written from the data.
docs: setup
	$(BIN)/python -m tests.house.seeds_doc
	$(BIN)/hkgpu rules docs
