"""The checks that /readyz runs before it reports this process as ready. Each one is quick."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import timedelta

from celery import current_app
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.cache import caches
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from championship.deadlines.health import last_sweep, sweep_is_missing
from championship.lineage import services as lineage
from championship.platform import clock
from championship.platform.cache import Cache

logger = logging.getLogger(__name__)

A_STATIC_FILE = "css/base.css"


class NotReady(Exception):
    """A check failed. The message says why and contains no secret."""


_migrated = False
"""Whether this process has seen all migrations of its code applied. None is reverted while it runs."""


def database() -> None:
    """Check that the database answers.

    Raises: NotReady when the database was set back in time; the database's own error when it does not answer.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    if lineage.was_set_back():
        raise NotReady("it is older than the service knows: run manage.py after_restore")


def migrations() -> None:
    """Check that all migrations are applied.

    Raises: NotReady when the code has migrations that the database has not.
    """
    global _migrated
    if _migrated:
        return
    executor = MigrationExecutor(connection)
    missing = [
        f"{each.app_label}.{each.name}" for each, _back in executor.migration_plan(executor.loader.graph.leaf_nodes())
    ]
    if missing:
        raise NotReady(f"{len(missing)} to apply, first {missing[0]}")
    _migrated = True


def broker() -> None:
    """Check that the broker answers.

    Raises: OSError or KombuError when the broker does not answer within BROKER_SECONDS.
    """
    with current_app.connection_for_write() as line:
        line.ensure_connection(max_retries=1, interval_start=0, timeout=settings.BROKER_SECONDS)
        line.default_channel.close()


def cache() -> None:
    """Check that the Redis of CACHE_URL answers, if there is one.

    Raises: RedisError when it does not answer within CACHE_SECONDS. Pages go on, because the database takes its place.
    """
    store = caches["default"]
    if isinstance(store, Cache):
        store.check()


def sweep() -> None:
    """Check that the deadlines are swept.

    Raises: NotReady when there was no sweep, when the last one is older than PATIENCE, or when it is in the future by
        more than PATIENCE because the machine's clock was set back.
    """
    swept_at, now = last_sweep(), clock.now()
    if not sweep_is_missing(swept_at, now):
        return
    if swept_at is None:
        raise NotReady("there was no sweep of deadlines yet")
    if swept_at > now:
        raise NotReady("the last sweep of deadlines lies in the future: the machine's clock was set back")
    raise NotReady(f"the last sweep of deadlines was {timedelta(seconds=int((now - swept_at).total_seconds()))} ago")


def static_files() -> None:
    """Check that static files were collected. Without them every page fails.

    Raises: NotReady when they were not collected.
    """
    try:
        staticfiles_storage.url(A_STATIC_FILE)
    except ValueError as error:
        raise NotReady("not collected: run manage.py collectstatic") from error


WEB: dict[str, Callable[[], None]] = {"database": database, "migrations": migrations, "static files": static_files}
"""The checks of what this process needs to answer pages."""
ALL: dict[str, Callable[[], None]] = {**WEB, "broker": broker, "cache": cache, "sweep": sweep}
"""The checks of WEB, and of what the whole installation needs to run on its own."""
QUERY_DATABASE = frozenset({"migrations", "sweep"})
NO_ANSWER = "no answer"


def problems(names: Iterable[str]) -> dict[str, str]:
    """Run the named checks and return those that fail, each with its reason. When the database does not answer, the
    other checks that query it are skipped, because each would wait as long. The text of an unexpected error is only
    logged, because it may name a server or a user.
    """
    found: dict[str, str] = {}
    for name in names:
        if name in QUERY_DATABASE and found.get("database") == NO_ANSWER:
            continue
        try:
            ALL[name]()
        except NotReady as problem:
            found[name] = str(problem)
        except Exception:  # any other error counts as no answer
            logger.exception("not ready: %s", name)
            found[name] = NO_ANSWER
    return found
