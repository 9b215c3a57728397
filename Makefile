# Muniment. `make run` and `make test` set up everything they need in .venv.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TOUR := muniment-tour
# What is run once more with PostgreSQL under every vault, beside its own tests.
ONTO := tests/contracts tests/recall tests/trust tests/poison tests/unit/engine tests/test_aio.py
# What of the PostgreSQL store's own tests is run on a cluster: those that look at no plan and start no server of their own.
ON_CITUS := $(addprefix tests/postgres/test_,$(addsuffix .py,asked_together batches channel keys_in_rows machine memledger parity processes remembered sealed_conformance search_agreement))
DOORS := .venv-doors
DOOR_TESTS = MUNIMENT_TEST_DOORS=1 scripts/scratch $(DOORS)/bin/python -m pytest -c tests/doors/pytest.ini --rootdir . -n 2
A_CLUSTER = MUNIMENT_TEST_POSTGRES_DSN='$(DSN)' MUNIMENT_TEST_CITUS=1
comma := ,
# One more than there are cores at least: some tests wait for a clock or for another process.
WORKERS ?= 3
TESTS = scripts/scratch $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
# Modules are compiled once and kept: the tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run tour test test-all lint format bench bench-all bench-contracts bench-recall bench-everyday bench-scale bench-peers bench-tune bench-silence bench-plots bench-serve bench-erase bench-poison bench-screen bench-postgres bench-console soak test-doors test-postgres test-citus test-browser shots sim docs clean

help: ## show what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

$(READY): pyproject.toml $(wildcard kits/*/pyproject.toml) requirements-dev.txt scripts/setup src/muniment/backends/embedders/published.py
	@scripts/setup "$(PYTHON)" "$(VENV)"
	@touch $@

run: $(READY) ## a guided tour, then its memory served until Ctrl-C
	@$(BIN)/python -m examples.tour.showcase $(TOUR)

tour: $(READY) ## the guided tour alone
	@$(BIN)/python -m examples.tour.play $(TOUR)

test: lint $(DOORS)/.ready ## lint, types and the tests: large tables by samples, slow tests left out
	@$(TESTS)
	@$(TESTS) --store postgres $(ONTO)
	@$(DOOR_TESTS) tests/doors src/muniment/adapters/core.py

test-all: export MUNIMENT_TEST_LONG := 1
test-all: export MUNIMENT_TEST_PROFILE := long
test-all: lint $(DOORS)/.ready ## every case of every table, the slow tests, and the soak (an hour or more)
	@$(TESTS)
	@$(TESTS) --store postgres $(ONTO)
	@$(DOOR_TESTS) tests/doors src/muniment/adapters/core.py
	@$(MAKE) soak

$(DOORS)/.ready: pyproject.toml requirements-doors.txt scripts/setup-doors
	@scripts/setup-doors "$(PYTHON)" "$(DOORS)"
	@touch $@

test-doors: $(DOORS)/.ready ## the adapters with the real frameworks
	@$(DOOR_TESTS) tests/doors src/muniment/adapters/core.py

test-postgres: $(READY) ## the tests of the PostgreSQL store, and the suites of the others on it; LONG=1: 64 clients for a minute
	@$(if $(LONG),MUNIMENT_TEST_LONG=1) $(TESTS) tests/postgres
	@$(if $(LONG),MUNIMENT_TEST_LONG=1) $(TESTS) --store postgres $(ONTO)

test-citus: $(READY) ## suites on a real Citus cluster; DSN=postgresql://superuser@coordinator/database, FAST=1: conformance only
	@test -n "$(DSN)" || { $(BIN)/python -m tests.postgres.cluster >&2; exit 2; }
	@$(A_CLUSTER) $(TESTS) -m 'not alone' tests/postgres/test_conformance.py $(if $(FAST),,tests/postgres/test_cluster.py $(ON_CITUS))
	@$(if $(FAST),,$(A_CLUSTER) scripts/scratch $(BIN)/python -m pytest -n 0 -m alone tests/postgres/test_cluster.py)

test-browser: $(READY) ## the console in a real browser, every journey
	@MUNIMENT_TEST_LONG=1 $(TESTS) tests/browser

shots: $(READY) ## pictures of every page of the console, wide and narrow, light and dark; FOLDER=dir, ONLY=record for some
	@$(BIN)/python -m tests.browser.shots $(or $(FOLDER),bench/out/shots) $(if $(ONLY),--only $(ONLY))

lint: $(READY) ## format check, ruff, mypy, what is past the size marks
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/python scripts/sizes.py

format: $(READY) ## put the code into form
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(READY) ## fixed-seed load, as tables and JSON in bench/out; DATA=file measures the detector on labelled chats
	@$(BIN)/python -m bench.spine
	@$(BIN)/python -m bench.trust
	@$(BIN)/python -m bench.conflicts $(if $(DATA),--data $(DATA))

bench-all: $(READY) ## a short form of all benches in ten minutes: one table with floors and aims, and bench/out/all.json
	@$(BIN)/python -m bench.overview

bench-contracts: $(READY) ## validation of OMIR bundles, documents there and back, files of memories in and out
	@$(BIN)/python -m bench.omir
	@$(BIN)/python -m bench.documents
	@$(BIN)/python -m bench.exchange

bench-recall: $(READY) ## how well recall finds what answers a question; DATA=FILE or several, in quotes; KEPT=1 keeps vectors
	@$(BIN)/python -m bench.recall --data $(DATA) $(if $(KEPT),--kept)

bench-everyday: $(READY) ## everyday questions in eighteen situations, ten not English, beside plain FTS5 and plain cosine
	@$(BIN)/python -m bench.everyday

bench-scale: $(READY) ## recall at 10k, 100k and 1M records (hours); SIZES=10k,100k for less, FOLDER=dir keeps the stores
	@$(BIN)/python -m bench.scale --sizes $(or $(SIZES),10k$(comma)100k$(comma)1M) $(if $(FOLDER),--folder $(FOLDER))

bench-peers: $(READY) ## the same corpus and embedder put to other memories; DATA=FILE for real conversations
	@$(BIN)/python -m bench.peers $(if $(DATA),--data $(DATA))

bench-tune: $(READY) ## choose the weights of recall by cross-validation; DATA="FILE FILE"
	@$(BIN)/python -m bench.tune --data $(DATA)

bench-silence: $(READY) ## fit how likely a record answers, and when to be silent, held out; DATA="FILE FILE"
	@$(BIN)/python -m bench.tune.silence $(if $(DATA),--data $(DATA))

bench-plots: $(READY) ## draw the pictures of docs/benchmarks from bench/out
	@$(BIN)/python -m bench.plots

bench-serve: $(READY) ## the server under load: records, attunes, recalls, 64 clients, kill -9; SHORT=1 for a minute
	@$(BIN)/python -m bench.serve $(if $(SHORT),--short)

bench-erase: $(READY) ## what forgetting costs: one subject among 100,000 records, and what overwriting costs every write
	@$(BIN)/python -m bench.erase $(if $(SCALE),--scale $(SCALE))

bench-poison: $(READY) ## poison and honest text of the outside: what is noticed, what is told unfenced, what steers
	@$(BIN)/python -m bench.poison

bench-screen: $(READY) ## what every scanner of outside text costs on the worst texts for it, in microseconds a character
	@$(BIN)/python -m bench.screen

bench-postgres: $(READY) ## PostgreSQL beside the embedded store: writes, batches, recall by size; DSN=… for a server that runs
	@$(BIN)/python -m bench.postgres $(if $(DSN),--dsn '$(DSN)') $(if $(SIZES),--sizes $(SIZES)) $(if $(FOLDER),--folder $(FOLDER)) $(if $(DATA),--data $(DATA))

bench-console: $(READY) ## the console at 100,000 records: first paint, and what a person waits for; SHORT=1 for a small run
	@$(BIN)/python -m bench.console $(if $(SHORT),--short)

soak: $(READY) ## use a vault as its users do, model, server, kills and backups at once; MINUTES=n (10), SEED=n for the same texts
	@scripts/scratch $(BIN)/python -m bench.soak $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED))

sim: $(READY) ## long machine and crash runs; SEED=n replays one
	@$(BIN)/python scripts/sim.py $(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--minutes $(MINUTES))

docs: $(READY) ## regenerate the reference pages, the published schemas and the pictures of the design
	@$(BIN)/python scripts/schemas.py
	@$(BIN)/python scripts/reference.py
	@$(BIN)/python scripts/walks.py

clean: ## remove what make made
	rm -rf $(VENV) $(DOORS) $(TOUR) bench/out .mypy_cache .ruff_cache .pytest_cache .hypothesis
