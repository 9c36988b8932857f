# Every command of the project. Nothing but Python 3.11 and make is needed:
# each target first makes .venv, once, and again only when pyproject.toml changed.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

BIN := .venv/bin
# Three at a time: they wait for disks and servers much. Who has nothing left takes from another.
PYTEST := $(BIN)/python -m pytest -n 3 --dist worksteal
DEMO_DB := demo.db
SERVICE_DB := service.db
# What make run keeps its stores in: sqlite or postgres.
DATABASE := sqlite
POSTGRES := .postgres
ARGS ?=
SEED ?=

.PHONY: help venv run run-sqlite run-postgres format lint check test test-all test-model soak bench docs clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

venv:
	@tools/make_venv.sh

run: venv run-$(DATABASE)  ## Run the demo, then the service (Ctrl-C ends it); DATABASE=postgres

run-sqlite: venv
	@rm -f $(DEMO_DB) $(DEMO_DB)-wal $(DEMO_DB)-shm
	@$(BIN)/vigent demo --db $(DEMO_DB)
	@echo
	@echo "The store is ready in $(DEMO_DB). Go on with it, for example:"
	@echo "  $(BIN)/vigent current mira passport_deadline --db $(DEMO_DB)"
	@echo "  $(BIN)/vigent current mira passport_deadline --as-of 2026-06-02 --db $(DEMO_DB)"
	@echo "  $(BIN)/vigent history mira passport_deadline --db $(DEMO_DB)"
	@echo "  $(BIN)/vigent diff --since 2026-05-31 --until 2026-06-03 --subject mira --db $(DEMO_DB)"
	@echo "  $(BIN)/vigent --help"
	@echo
	@$(BIN)/python -m tools.run_service $(SERVICE_DB)

run-postgres: venv
	@$(BIN)/python -m tools.run_on_postgres $(POSTGRES)

format: venv  ## Format the code and apply the safe fixes
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format --quiet .

lint: venv  ## Formatting, lint, types and layers, without tests
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/pyright --pythonpath $(BIN)/python --warnings
	@$(BIN)/lint-imports --no-logo

check: lint  ## Lint, types, layers, architecture, unit and contract tests (under 2 minutes)
	@$(PYTEST) -q -m "not slow and not soak and not realmodel" tests/architecture tests/unit tests/contract

test: lint  ## Everything but the slow tests (under 15 minutes)
	@$(PYTEST) -q -m "not slow and not soak and not realmodel"

test-all: lint  ## Everything, the long agreement run too
	@VIGENT_EXAMPLE_PROFILE=fresh VIGENT_AGREEMENT_STEPS=$${VIGENT_AGREEMENT_STEPS:-100000} $(PYTEST) -q -m "not soak and not realmodel"

test-model: venv  ## Ask a real small language model; its runtime takes minutes to build, once a machine
	@$(BIN)/python -m pytest -q -s -m realmodel tests/integration

soak: venv  ## Random commands, crashes and clocks, and the service under load, each for VIGENT_SOAK_MINUTES (default 30)
	@VIGENT_SOAK_MINUTES=$${VIGENT_SOAK_MINUTES:-30} $(BIN)/python -m pytest -q -m soak -s

bench: venv  ## Measure: ARGS=engine, or ARGS="recall --data FOLDER"; writes bench/results
	@$(BIN)/python -m bench $(ARGS)

docs: venv  ## Write the generated parts of the documentation again
	@for tool in tools/*_reference.py tools/draw_*.py; do $(BIN)/python "$$tool"; done

clean:  ## Remove the environment, caches and the demo's store
	@rm -rf .venv .venv.lock .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist
	@rm -f $(DEMO_DB) $(DEMO_DB)-wal $(DEMO_DB)-shm
	@rm -rf $(POSTGRES)
	@rm -f $(SERVICE_DB) $(SERVICE_DB)-wal $(SERVICE_DB)-shm
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
