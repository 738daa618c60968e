# Everything a person or CI does with this repository. Each target makes the environment it needs.
.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-second test-tools test-agents durations check format api docs pictures-check screenshots bench bench-agents bench-run bench-evaluate bench-exam bench-faults bench-install bench-judges bench-scale bench-serving smoke clean

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_DOCS := $(VENV)/.ready-docs
# The first of these that is new enough and complete; `make test PYTHON=python3.12` chooses another. Each is tried,
# and named by its own path: a shim of pyenv may exist and not run, or run another Python in another folder.
PYTHON := $(shell for name in python3.13 python3.12 python3.11 python3 python; do \
	"$$name" -c 'import sqlite3, ssl, sys, venv; sys.exit(sys.version_info < (3, 11) or print(sys.executable))' \
	2>/dev/null && break; done)

help: ## Show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

demo: $(READY) ## Explain a run of an agent that claims, is caught, and passes
	@rm -rf .demo && $(BIN)/setpoint demo .demo --tour

# One process of tests for each core; `make test WORKERS=0` runs them in one, for a debugger.
WORKERS := auto
PYTEST = $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal
test: test-tools ## Run the first tier of the tests: what every change must pass
	@$(PYTEST) -m "not slow and not real_agents" --durations=15

test-all: test-tools ## Run both tiers: all tools and languages, the crash matrix, long property runs, real agents
	@$(PYTEST) -m "not real_agents" --durations=30 --hypothesis-profile=long
	@$(MAKE) test-agents AGENTS="gemini opencode"

# Seconds that `make test-second` may take.
BUDGET := 240
test-second: test-tools ## Run what of the second tier the last change touches, and a share that rotates
	@$(BIN)/python tests/second_tier.py --budget $(BUDGET)

durations: test-tools ## Run both tiers and record into tests/durations.json how much each test needs
	@$(PYTEST) -m "not real_agents" --record-durations

test-tools: $(READY) ## Install the tools that the presets describe, and those of the browser tests, into .tools/
	@PYTHON=$(PYTHON) bash tests/checks/tools/install.sh
	@bash tests/checks/javascript/install.sh
	@bash tests/web/install.sh

# `make test-agents AGENTS="gemini opencode"` takes these only; some of the others are not free software.
AGENTS := all
test-agents: $(READY) ## Install real coding agents into .agents/ and drive them against a scripted model server
	@bash tests/real_agents/install.sh $(AGENTS)
	@AGENTS="$(AGENTS)" $(PYTEST) -m real_agents tests/real_agents --durations=5

# `make smoke SMOKE="3.12 3.13"` takes these only; `SMOKE="--but 3.11"` all that are on this machine but one.
SMOKE :=
smoke: ## Install wheel and sdist on each supported Python of this machine, and try them
	@test -n "$(PYTHON)" || { echo "Setpoint needs Python 3.11 or newer, as python3 on PATH"; exit 2; }
	@$(PYTHON) tests/smoke.py $(SMOKE)

check: $(READY) ## Lint, format, types, import contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy & types=$$!; $(BIN)/lint-imports --no-cache && wait $$types

format: $(READY) ## Mend what can be mended by machine
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .

api: $(READY) ## Record the public API anew, and show which version its changes ask for
	@PYTHONPATH=tests $(BIN)/python tests/house/api_surface.py

screenshots: $(READY) ## Make docs/assets from real runs: the recording of the terminal, and the dashboard with Chromium
	@bash tests/web/install.sh
	@$(BIN)/python tests/pictures.py
	@SCREENSHOTS_INTO=$(CURDIR)/docs/assets $(BIN)/python -m pytest -q -k "not everybody" tests/web/test_browser*.py

pictures-check: $(READY) ## Look if the pages still say what the pictures of the documents show
	@$(BIN)/python -m pytest -q -k "not everybody" tests/web/test_browser.py tests/web/test_browser_edits.py \
		tests/web/test_browser_feedback.py tests/web/test_browser_production.py

docs: $(READY_DOCS) ## Write the reference from the code, and build the pages into site/
	@$(BIN)/python docs/generate.py
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "site/index.html"

bench-agents: $(READY) ## Measure what driving and holding an agent costs over the bare agent
	@$(BIN)/python bench/agent_overhead.py --real

bench: $(READY) ## Measure Setpoint's own overhead
	@$(BIN)/python bench/overhead.py

bench-run: $(READY) ## Measure what verbs, checks and runs cost beside a project's own tests, by kind of process
	@$(BIN)/python bench/run_cost.py

bench-exam: $(READY) ## Recompute who tells right patches from wrong ones, from the answers that are kept
	@$(BIN)/python bench/exam.py table

bench-judges: $(READY) ## Write what hidden tests and a reviewer cost by agent, from the runs that are kept
	@$(BIN)/python bench/judges.py page

bench-evaluate: $(READY) ## Measure how soon a change is judged, on click, attrs and httpx (about half an hour)
	@$(BIN)/python bench/evaluate.py

bench-install: ## Measure the size of an installation, and what importing the command line takes
	@$(PYTHON) bench/install.py

bench-scale: $(READY) ## Measure pages, metrics and the record with a million events, on SQLite and Postgres (half an hour)
	@$(BIN)/python bench/scale.py

bench-faults: $(READY) ## Try the verbs under 60 faults and in odd repositories (as root for all of them; an hour)
	@$(BIN)/python bench/faults.py

bench-serving: $(READY) ## Measure the dashboard with many open pages: idle, and 200 streams with 200 pages at once
	@$(BIN)/python bench/serving.py

clean: ## Remove what the other targets made, but for .agents/ and .tools/
	@rm -rf $(VENV) site dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Setpoint needs Python 3.11 or newer, as python3 on PATH"; exit 2; }
	@command -v git >/dev/null || { echo "Setpoint needs git on PATH"; exit 2; }
	@echo "making $(VENV) with $(PYTHON) ..."
	@if command -v uv >/dev/null; then \
		uv venv --quiet --allow-existing --python $(PYTHON) $(VENV) && \
		uv pip install --quiet --python $(BIN)/python --editable '.[checks,languages,web]' --group dev; \
	else \
		$(PYTHON) -m venv $(VENV) && \
		$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1' && \
		$(BIN)/python -m pip install --quiet --editable '.[checks,languages,web]' --group dev; \
	fi
	@touch $@

$(READY_DOCS): $(READY)
	@if command -v uv >/dev/null; then \
		uv pip install --quiet --python $(BIN)/python --group docs; \
	else \
		$(BIN)/python -m pip install --quiet --group docs; \
	fi
	@touch $@
