# Everything a newcomer needs: `make demo` to see it, `make test` to trust it.
# Python 3.11 or later, make and a C library are enough; the rest comes hash-checked from the lock files.

# First the distribution's Python, which is built for speed: on one that a version manager has compiled, as pyenv does
# unless told otherwise, all takes a fifth longer. It needs what an environment is made with.
PYTHON ?= $(shell for each in /usr/bin/python3.11 python3.11; do \
	$$each -c 'import ensurepip, venv' 2>/dev/null && command -v $$each && exit; done; command -v python3.11 || command -v python3)
# Programs run as `python -m`: their scripts would hold the folder's name, which may be long, odd or changed.
RUN := .venv/bin/python -m

.PHONY: demo setup test first-tier migrated test-slow test-deploy test-durations lint style types format bench bench-dearest chaos season load scale messages compile-messages lock clean
.DELETE_ON_ERROR:

demo: .venv/installed compile-messages
	@.venv/bin/python manage.py demo

setup: .venv/installed-dev

# Three processes on two cores: a test in a browser waits for half of its time.
PROCESSES = $(shell $(PYTHON) -c 'import os; print(max(2, min(6, (os.cpu_count() or 2) * 3 // 2)))')
# Where CI is set, the few tests that fail are tried once more, alone, when all others are done. The report names them:
# real browsers, threads and clocks meet busy machines. An unsteady test is still a fault to mend. No plugin does this
# at once: the one there is asks the first process before each test, by a socket that waits 40 ms for more to send.
TESTING = $(RUN) tests.once_more --quiet --numprocesses $(PROCESSES) --dist worksteal --durations 20
# What is tested: the whole tree, or the folders that somebody names, as in `make test WHERE=tests/engine`.
WHERE ?= tests
# Compiled files are kept: each process reads a thousand.
first-tier test-slow test-deploy test-durations: export PYTHONDONTWRITEBYTECODE =
# Types are looked at and the database is migrated while the tests are collected: one by one they would leave a core idle.
test: style compile-messages
	@$(MAKE) --no-print-directory --jobs 3 types migrated first-tier

first-tier: .venv/installed-dev
	$(TESTING) -m "not slow and not machine" $(WHERE)

# The database that those of the tests are copied from.
migrated: .venv/installed-dev
	@$(RUN) tests.databases

# The second tier: kills, whole seasons, sweeps through every page, far ways in a browser, migrations there and back,
# long fuzzing, large worlds.
test-slow: .venv/installed-dev compile-messages
	$(TESTING) -m slow $(WHERE)

# What lies in deploy/ on a bare Debian: installed, upgraded, lost, restored, built as an image. As root, with
# debootstrap, systemd-container and buildah. What failed is not written down: another run beside it may do so.
test-deploy: .venv/installed-dev compile-messages
	$(RUN) pytest --quiet --capture no --durations 5 -p no:cacheprovider -m machine tests/deploy

# Both tiers, and tests/durations.json anew: it says which tests take longest and so begin.
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

# What the dearest papers, records and archives cost, each beside its bound: docs/clockwork.md.
bench-dearest: .venv/installed-dev
	@$(RUN) tests.benchmarks.dearest_requests

# A season of 90 days with 500 drivers on injected time: undisturbed, then while workers are killed a hundred times and
# database, broker, mail server and receivers fail. docs/clockwork.md tells how long they take.
chaos: .venv/installed-dev compile-messages
	$(RUN) tests.chaos
	$(RUN) tests.chaos --kills 100 --beat 0.5

# A season of 12 rallies, 60 drivers and 36 stages driven by codrivers, its tables computed twice.
season: .venv/installed-dev compile-messages
	$(RUN) tests.season

# Fifty drivers at work at once on a server of its own: how long it takes, and what a stage page weighs.
load: .venv/installed-dev compile-messages
	@$(RUN) tests.load

# Three hundred clubs, twenty thousand people, 1.6 million events, made in bulk: what pages, turns and a sweep of ten
# thousand deadlines cost then, and whether a page reads a table that grows from end to end.
scale: .venv/installed-dev compile-messages
	@$(RUN) tests.scale

format: .venv/installed-dev
	$(RUN) ruff check --fix .
	$(RUN) ruff format .

# Bring locale/*/LC_MESSAGES/django.po up to date with the strings in code and templates.
messages: .venv/installed-dev
	.venv/bin/python locale/catalogues.py extract

compile-messages: .venv/installed
	@.venv/bin/python locale/catalogues.py compile

# Resolve pyproject.toml anew, for all platforms, with hashes and without naming any index.
LOCKING = $(RUN) uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"
lock: .venv/installed-dev
	$(LOCKING) --upgrade -o requirements.lock
	$(LOCKING) --upgrade --extra dev -c requirements.lock -o requirements-dev.lock

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# pip is what making an environment ends with: without it the environment is not whole.
.venv/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or later is needed: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' \
		|| { echo "This Python lacks venv; on Debian: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv --clear .venv

.venv/installed: requirements.lock | .venv/bin/pip
	$(RUN) pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

.venv/installed-dev: requirements-dev.lock requirements.lock | .venv/bin/pip
	$(RUN) pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch .venv/installed $@
