"""Creates the test database as a copy of a template, which is migrated once, and empties it between tests.

`python -m tests.databases` only creates the template, so that it can run beside other work and no test waits for it.
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
"""The key of the advisory lock that a process holds while it looks for the template, creates it or copies it."""
KEPT_BETWEEN_TESTS = frozenset({"django_migrations", "django_content_type", "auth_permission"})
"""Tables with rows that migrations create and no test changes."""
LIBRARY = "stages_stagedesign"
"""The table of stage designs. It contains the ready-made stages from migrations, and stages of clubs."""
DELETING = 5
"""Attempts to empty the tables."""
LARGE = 1_000_000
"""Size in bytes from which a table is vacuumed."""


def edition() -> str:
    """Return a digest of everything that the migrated database depends on: migrations, installed packages, and the
    data files of games, from which the library of stages is loaded.
    """
    digest = hashlib.sha256((ROOT / "requirements-dev.lock").read_bytes())
    games = (path for path in (ROOT / "engine").glob("*/data/**/*") if path.is_file())
    for path in sorted([*(ROOT / "championship").rglob("migrations/*.py"), *games]):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def create(name: str) -> None:
    """Create the database `name`, replacing an old one, as a copy of the template. Connect Django to it."""
    with _template() as (cursor, template):
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    _connect(connection, name)
    with connection.cursor() as cursor:
        cursor.execute(f'ALTER DATABASE "{name}" SET synchronous_commit TO off')  # tests need no data after a crash
        cursor.execute(f'ALTER DATABASE "{name}" SET jit TO off')  # no query runs often enough to be worth compiling
        cursor.execute("CREATE SCHEMA kept")
        cursor.execute(f"CREATE TABLE kept.{LIBRARY} AS TABLE public.{LIBRARY}")


@contextmanager
def _template() -> Iterator[tuple[Any, str]]:
    """Yield a cursor outside all test databases, and the name of the template, under the lock TEMPLATE_LOCK.

    The template belongs to one edition of the migrations. It is created if it does not exist. Then templates of other
    editions are dropped, unless another run is connected to them.
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
    """Drop the databases with names like `pattern` that have no connections."""
    cursor.execute(
        "SELECT datname FROM pg_database WHERE datname LIKE %s"
        " AND NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE pg_stat_activity.datname = pg_database.datname)",
        [pattern],
    )
    for (old,) in cursor.fetchall():
        cursor.execute(f'DROP DATABASE IF EXISTS "{old}"')


def _migrate(cursor, template: str) -> None:  # type: ignore[no-untyped-def]
    """Create the template under another name first, so that an interrupted migration never passes for a template."""
    unfinished = f"{template}_unfinished"
    cursor.execute(f'DROP DATABASE IF EXISTS "{unfinished}" WITH (FORCE)')
    configured_name = connection.settings_dict["TEST"]["NAME"]
    connection.settings_dict["TEST"]["NAME"] = unfinished
    try:
        connection.creation.create_test_db(verbosity=0, autoclobber=True)
    finally:
        connection.settings_dict["TEST"]["NAME"] = configured_name
    connection.close()
    cursor.execute(f'ALTER DATABASE "{unfinished}" RENAME TO "{template}"')


def _connect(wrapper: BaseDatabaseWrapper, name: str) -> None:
    wrapper.close()
    settings.DATABASES[wrapper.alias]["NAME"] = name
    wrapper.settings_dict["NAME"] = name


def drop(name: str, back_to: str) -> None:
    """Drop the database `name` and connect Django to the database `back_to`."""
    _connect(connection, back_to)
    with connection._nodb_cursor() as cursor:  # type: ignore[attr-defined]
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def empty() -> None:
    """Empty all tables but KEPT_BETWEEN_TESTS, then insert the ready-made stages again.

    Django would truncate all tables after each test and create content types, permissions and ready-made stages again.
    TRUNCATE creates new files on the disk for each table and index: a hundred files for a few rows. Therefore rows are
    deleted, with all triggers disabled. Only a superuser may disable them; for other users the tables are truncated.
    """
    tables = [table for table in connection.introspection.table_names() if table not in KEPT_BETWEEN_TESTS]
    query = " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM \"{table}\")" for table in tables)
    with connection.cursor() as cursor:
        cursor.execute(query)
        filled_tables = [f'"{table}"' for (table,) in cursor.fetchall()]
        cursor.execute("SELECT current_setting('is_superuser') = 'on'")
        if cursor.fetchone() == (True,):
            _delete(filled_tables)
            _vacuum(cursor)
        elif filled_tables:
            cursor.execute(f"TRUNCATE {', '.join(filled_tables)} CASCADE")
        cursor.execute(f"INSERT INTO {LIBRARY} SELECT * FROM kept.{LIBRARY} ON CONFLICT DO NOTHING")


def _delete(tables: list[str]) -> None:
    """Delete all rows of these tables with triggers disabled. Retry up to DELETING times after a deadlock.

    The last request of a browser may still run in the thread of the server and lock rows in another order.
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
    """Vacuum the tables that deleted rows have made large: scanning dead rows would slow down each test."""
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
