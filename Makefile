# Everything a newcomer needs: `make demo` to see it, `make test` to trust it.
# Python 3.11 or later, make and a C library are enough; the rest comes hash-checked from the lock files.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin

.PHONY: demo setup test lint format messages compile-messages lock clean
.DELETE_ON_ERROR:

demo: .venv/installed compile-messages
	@$(BIN)/python manage.py demo

setup: .venv/installed-dev

# Each step stops the run when it fails.
test: .venv/installed-dev compile-messages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Bring locale/*/LC_MESSAGES/django.po up to date with the strings in code and templates.
messages: .venv/installed-dev
	$(BIN)/python locale/catalogues.py extract

compile-messages: .venv/installed
	@$(BIN)/python locale/catalogues.py compile

# Resolve pyproject.toml anew, for all platforms, with hashes and without naming any index.
LOCKING = $(BIN)/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"
lock: .venv/installed-dev
	$(LOCKING) --upgrade -o requirements.lock
	$(LOCKING) --upgrade --extra dev -c requirements.lock -o requirements-dev.lock

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.venv/pyvenv.cfg:
	$(PYTHON) -m venv .venv

.venv/installed: requirements.lock | .venv/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

.venv/installed-dev: requirements-dev.lock requirements.lock | .venv/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch .venv/installed $@
