"""Deletes old data. A nightly task calls every registered rule. The setting RETENTION_DAYS says after how many days.

Nothing that a proof, a result or the log of officials' acts depends on is ever deleted: rallies, runs, turns, posts,
events, seals, phrases, orders ahead, times, penalties, decisions, audit records. Only copies, drafts and letters are
deleted, and guests with all that they have driven, which counts for nobody.

An app registers its rules in `AppConfig.ready()`: `retention.register("reports", delete_old_reports)`. A rule that
deletes rows does it in batches (championship/failures/batches.py).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from importlib import import_module

from django.conf import settings
from django.core.cache import caches
from django.core.cache.backends.db import DatabaseCache
from django.db import connection

from championship.platform import clock

logger = logging.getLogger(__name__)

Rule = Callable[[datetime], int]
"""Deletes what is older than that moment. Returns the number of rows."""


def delete_expired(*, now: datetime | None = None) -> dict[str, int]:
    """Delete what was kept long enough. Returns the number of rows by rule. A rule that fails does not stop others."""
    now = now or clock.now()
    done = {}
    for name, rule in RULES.items():
        try:
            done[name] = rule(now - timedelta(days=settings.RETENTION_DAYS[name]))
        except Exception:
            logger.exception("%s could not be deleted", name)
    logger.info("deleted: %s", ", ".join(f"{name} {count}" for name, count in done.items()))
    return done


def register(name: str, rule: Rule) -> None:
    """Add a rule. `name` is its key in the setting RETENTION_DAYS."""
    RULES[name] = rule


def _sessions(_before: datetime) -> int:
    """Deletes expired sessions. The session engine knows which, and does not count them."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
    return 0


def _throttles(before: datetime) -> int:
    """Deletes expired rows of the cache in the database, in which throttles count, also while a Redis is away."""
    deleted = 0
    for alias, setting in settings.CACHES.items():
        if not isinstance(caches[alias], DatabaseCache):
            continue
        table = connection.ops.quote_name(str(setting["LOCATION"]))
        with connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table} WHERE expires < %s", [before])  # noqa: S608
            deleted += int(cursor.rowcount)
    return deleted


RULES: dict[str, Rule] = {"sessions": _sessions, "throttles": _throttles}
