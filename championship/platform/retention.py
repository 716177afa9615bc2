"""Deletes old data. A nightly task does it in small batches. The setting RETENTION_DAYS says after how many days.

Nothing that a proof, a result or the log of officials' acts depends on is ever deleted: rallies, runs, turns, posts,
events, seals, phrases, orders ahead, times, penalties, decisions, audit records. Only copies, drafts and letters are
deleted.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from importlib import import_module
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.core.cache.backends.db import DatabaseCache
from django.db import connection
from django.db.models import Q, QuerySet

from championship.accounts.closing import finish_due
from championship.accounts.models import EntranceLetter
from championship.accounts.sign_in_mail import expire
from championship.api.models import KeptAnswer
from championship.clubs.models import Report
from championship.failures.services import Attempts, forget_old
from championship.notices.models import Notice, SentMail
from championship.platform import clock
from championship.rallies.models import KeptPaper
from championship.runs.models import Draft, Run

logger = logging.getLogger(__name__)

BATCH = 1000
"""Rows in one transaction. There are few of them, so that nobody waits long for a lock."""

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


def _sessions(_before: datetime) -> int:
    """Deletes expired sessions. The session engine knows which, and does not count them."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
    return 0


def _throttles(before: datetime) -> int:
    """Deletes expired rows of the cache in the database, in which throttles count, also while a Redis is away."""
    deleted = 0
    for cache in (caches[alias] for alias in settings.CACHES):
        if not isinstance(cache, DatabaseCache):
            continue
        table = connection.ops.quote_name(cache._table)  # type: ignore[attr-defined]
        with connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table} WHERE expires < %s", [before])  # noqa: S608
            deleted += int(cursor.rowcount)
    return deleted


def _words_of_letters(before: datetime) -> int:
    """Empties the text of notices that were sent or dropped. The row stays, so that nothing is sent twice."""
    said = _settled(before).exclude(context={}, link="", error="")
    return _by_batches(said, lambda rows: rows.update(context={}, link="", error=""))


def _letters(before: datetime) -> int:
    return _by_batches(_settled(before))


def _entrance_letters(before: datetime) -> int:
    expire(now=clock.now())
    return _by_batches(EntranceLetter.objects.filter(settled_at__lt=before))


def _kept_mail(before: datetime) -> int:
    return _by_batches(SentMail.objects.filter(at__lt=before))


def _drafts(before: datetime) -> int:
    """Deletes drafts in runs that are over."""
    return _by_batches(Draft.objects.filter(updated_at__lt=before).exclude(run__status=Run.Status.RUNNING))


def _papers(before: datetime) -> int:
    return _by_batches(KeptPaper.objects.filter(asked_at__lt=before).filter(Q(made_at=None) | Q(made_at__lt=before)))


def _kept_answers(before: datetime) -> int:
    return _by_batches(KeptAnswer.objects.filter(asked_at__lt=before))


def _closed_accounts(before: datetime) -> int:
    """Deletes the personal data of accounts that were closed that long ago."""
    return finish_due(before=before)


def _reports(before: datetime) -> int:
    return _by_batches(Report.objects.filter(settled_at__lt=before))


def _failures(before: datetime) -> int:
    """Deletes failures of units that have nothing to do any more."""
    return forget_old(before=before)


def _settled(before: datetime) -> QuerySet[Notice]:
    """Old notices that need no more work. Dead and held notices still wait for the operator."""
    return Notice.objects.filter(status__in=[Notice.Status.SENT, Notice.Status.DROPPED], created_at__lt=before).filter(
        Q(sent_at=None) | Q(sent_at__lt=before)
    )


def _delete(rows: QuerySet[Any]) -> int:
    return rows.delete()[0]


def _by_batches(rows: QuerySet[Any], treat: Callable[[QuerySet[Any]], int] = _delete) -> int:
    """Apply `treat` to all of these rows, BATCH of them per transaction. Returns their number.

    Where a batch fails, each of its rows is treated alone. The rows that fail are put off; the others are done.
    """
    tries = Attempts(f"deletion: {rows.model._meta.label_lower}", now=clock.now())
    everything, last, done = rows.model._base_manager, None, 0
    rows = rows.exclude(pk__in=tries.put_off()).order_by("pk")
    while True:
        some = list((rows if last is None else rows.filter(pk__gt=last)).values_list("pk", flat=True)[:BATCH])
        done += len(tries.attempt_together(some, lambda pks: treat(everything.filter(pk__in=pks))))
        if len(some) < BATCH:
            return done
        last = some[-1]


RULES: dict[str, Rule] = {
    "sessions": _sessions,
    "throttles": _throttles,
    "words of letters": _words_of_letters,
    "letters": _letters,
    "letters about signing in": _entrance_letters,
    "kept mail": _kept_mail,
    "drafts": _drafts,
    "papers": _papers,
    "kept answers": _kept_answers,
    "closed accounts": _closed_accounts,
    "reports": _reports,
    "failures": _failures,
}
