"""squawk checks the SQL of each migration: none may lock a table for long, or break a release that still uses it."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db.migrations.loader import MigrationLoader

from tests.deploy.programs import lacks

NOT_ASKED = (
    # Style, not locks: Django chooses the types, and records each finished migration.
    *("prefer-text-field", "prefer-bigint-over-int", "prefer-bigint-over-smallint", "prefer-robust-stmts"),
    # Each connection sets its own timeouts (championship.platform.database_timeouts).
    *("require-lock-timeout", "require-statement-timeout"),
)
BAD = "ALTER TABLE runs_turn ALTER COLUMN done TYPE varchar(20);"
"""A statement that locks a table for long. It shows that squawk works."""
ACCEPTED: dict[str, set[str]] = {
    # Of rounds: a table with few rows.
    "seasons.0003_scoring": {"adding-foreign-key-constraint", "require-concurrent-index-creation"},
    # Of protests and decisions: tables with few rows.
    "stewards.0002_statements_and_penalty_points": {
        *("adding-foreign-key-constraint", "constraint-missing-not-valid", "require-concurrent-index-creation")
    },
    "stewards.0005_appeals_against_points": {"adding-foreign-key-constraint", "disallowed-unique-constraint"},
    "stewards.0003_struck_out": {"ban-drop-constraint", "constraint-missing-not-valid"},
    "stewards.0004_shortened": {"ban-drop-constraint", "constraint-missing-not-valid"},
    "rallies.0003_units_of_games": {"changing-column-type"},  # a longer text: PostgreSQL rewrites no row
}


@pytest.fixture
def squawk() -> str:
    beside = shutil.which("squawk", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    return beside or lacks("squawk")


def complaints(squawk: str, folder: Path, names: list[tuple[str, str]]) -> dict[str, set[str]]:
    """Return the rules that each migration breaks, by "app.name", without the migrations that break none; for the
    statement BAD by "bad".
    """
    files = [folder / "bad.sql"]
    files[0].write_text(BAD)
    for app, name in names:
        sql = io.StringIO()
        call_command("sqlmigrate", app, name, stdout=sql, no_color=True)
        files.append(folder / f"{app}.{name}.sql")
        files[-1].write_text(sql.getvalue())
    asked = [squawk, "--pg-version", "15", "--reporter", "json", "--exclude", ",".join(NOT_ASKED)]
    read = subprocess.run([*asked, *map(str, files)], capture_output=True, text=True, timeout=120, check=False)
    assert read.stdout.startswith("["), read.stderr
    found: dict[str, set[str]] = defaultdict(set)
    for complaint in json.loads(read.stdout):
        found[Path(complaint["file"]).stem].add(complaint["rule_name"])
    return dict(found)


@pytest.mark.django_db
def test_a_new_migration_locks_little_and_breaks_no_release_that_runs(squawk: str, tmp_path: Path) -> None:
    disk = MigrationLoader(None).disk_migrations
    ours = [key for key, found in disk.items() if found.__module__.startswith("championship.")]
    # The first migration of an app creates tables that nobody uses yet.
    known = complaints(squawk, tmp_path, [(app, name) for app, name in ours if int(name[:4]) > 1])

    assert known.pop("bad") == {"changing-column-type"}
    assert known == ACCEPTED
