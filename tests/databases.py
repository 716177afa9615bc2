"""The test database: copied from a template that is migrated once, and emptied between tests table by table.

`python -m tests.databases` makes the template alone, beside other work, so that no test waits for it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

ROOT = Path(__file__).resolve().parents[1]
TEMPLATE_LOCK = 7_305_001
"""The advisory lock under which one process at a time looks for the template and makes it."""
KEPT_BETWEEN_TESTS = frozenset({"django_migrations", "django_content_type", "auth_permission"})
"""Tables that hold what migrations make and no test changes."""
LIBRARY = "stages_stagedesign"
"""The table that migrations fill with ready-made stages, beside which clubs keep their own."""
DELETING = 5
"""How often it is tried to empty the tables."""
LARGE = 1_000_000
"""Bytes of a table above which the room of deleted rows is given back."""


def edition() -> str:
    """Return a digest of all that decides what the migrated database looks like."""
    digest = hashlib.sha256((ROOT / "requirements-dev.lock").read_bytes())
    for path in sorted((ROOT / "championship").rglob("migrations/*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def create(name: str) -> None:
    """Make the database `name` anew, as a copy of the template, and connect Django to it."""
    with _template() as (cursor, template):
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    _connect(connection, name)
    with connection.cursor() as cursor:
        cursor.execute(f'ALTER DATABASE "{name}" SET synchronous_commit TO off')  # no test outlives its server
        cursor.execute(f'ALTER DATABASE "{name}" SET jit TO off')  # no query is asked often enough to be compiled
        cursor.execute("CREATE SCHEMA kept")
        cursor.execute(f"CREATE TABLE kept.{LIBRARY} AS TABLE public.{LIBRARY}")


@contextmanager
def _template() -> Iterator[tuple[Any, str]]:
    """A cursor beside all databases, and the name of the template, which nobody else touches meanwhile.

    The template belongs to one edition of the migrations. Whoever comes first makes it; templates of other editions
    are dropped, unless another run is using them.
    """
    connection.close()
    with connection._nodb_cursor() as cursor:  # type: ignore[attr-defined]
        cursor.execute("SELECT set_config('lock_timeout', '0', false), set_config('statement_timeout', '0', false)")
        cursor.execute("SELECT pg_advisory_lock(%s)", [TEMPLATE_LOCK])  # a busy machine may migrate for minutes
        try:
            template = f"{settings.DATABASES['default']['NAME']}_{edition()}"
            cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [template])
            if cursor.fetchone() is None:
                _drop_templates(cursor, f"{settings.DATABASES['default']['NAME']}\\_____________")
                _migrate(cursor, template)
            yield cursor, template
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [TEMPLATE_LOCK])


def _drop_templates(cursor, pattern: str) -> None:  # type: ignore[no-untyped-def]
    """Drop databases named like `pattern` that nobody is connected to."""
    cursor.execute(
        "SELECT datname FROM pg_database WHERE datname LIKE %s"
        " AND NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE pg_stat_activity.datname = pg_database.datname)",
        [pattern],
    )
    for (old,) in cursor.fetchall():
        cursor.execute(f'DROP DATABASE IF EXISTS "{old}"')


def _migrate(cursor, template: str) -> None:  # type: ignore[no-untyped-def]
    """Make the template under another name first, so that one that was cut short is never taken for whole."""
    unfinished = f"{template}_unfinished"
    cursor.execute(f'DROP DATABASE IF EXISTS "{unfinished}" WITH (FORCE)')
    named = connection.settings_dict["TEST"]["NAME"]
    connection.settings_dict["TEST"]["NAME"] = unfinished
    try:
        connection.creation.create_test_db(verbosity=0, autoclobber=True)
    finally:
        connection.settings_dict["TEST"]["NAME"] = named
    connection.close()
    cursor.execute(f'ALTER DATABASE "{unfinished}" RENAME TO "{template}"')


def _connect(wrapper: BaseDatabaseWrapper, name: str) -> None:
    wrapper.close()
    settings.DATABASES[wrapper.alias]["NAME"] = name
    wrapper.settings_dict["NAME"] = name


def drop(name: str, back_to: str) -> None:
    """Drop the database `name` and connect Django to the one that the settings named."""
    _connect(connection, back_to)
    with connection._nodb_cursor() as cursor:  # type: ignore[attr-defined]
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def empty() -> None:
    """Empty every table that holds a row, but for those that only migrations fill; the library stands again after it.

    Django's own way truncates all tables, then makes content types, permissions and the library again after each test.
    To truncate a table is to make its files and those of its indexes anew on the disk: a hundred files for a few rows.
    So rows are deleted, past all triggers, where the server lets us switch these off.
    """
    tables = [table for table in connection.introspection.table_names() if table not in KEPT_BETWEEN_TESTS]
    filled = " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM \"{table}\")" for table in tables)
    with connection.cursor() as cursor:
        cursor.execute(filled)
        found = [f'"{table}"' for (table,) in cursor.fetchall()]
        cursor.execute("SELECT current_setting('is_superuser') = 'on'")
        if cursor.fetchone() == (True,):
            _delete(found)
            _vacuum(cursor)
        elif found:
            cursor.execute(f"TRUNCATE {', '.join(found)} CASCADE")
        cursor.execute(f"INSERT INTO {LIBRARY} SELECT * FROM kept.{LIBRARY} ON CONFLICT DO NOTHING")


def _delete(tables: list[str]) -> None:
    """Delete all rows of these tables past their triggers.

    A request that a browser sent last may still be at work in the server's thread and lock rows in another order. Then
    one of the two gives way; here that is tried again.
    """
    for attempt in range(1, DELETING + 1):
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL session_replication_role = replica")
                for table in tables:
                    cursor.execute(f"DELETE FROM {table}")
        except OperationalError:
            if attempt == DELETING:
                raise
        else:
            return


def _vacuum(cursor) -> None:  # type: ignore[no-untyped-def]
    """Give back the room of tables that deleted rows have made large; reading past these would slow down each test."""
    cursor.execute(
        "SELECT format('%%I', relname) FROM pg_class"
        " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > %s",
        [LARGE],
    )
    for (table,) in cursor.fetchall():
        cursor.execute(f"VACUUM {table}")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "championship.settings.test")
    django.setup()
    with _template():
        pass
