"""What is thrown away when. A nightly task does it, in small batches; the days are settings (RETENTION_DAYS).

Nothing that a proof, a result or the log of officials' acts rests on is ever deleted: rallies, runs, turns, posts,
events, seals, phrases, plans sent ahead, times, penalties, decisions, audit records. What goes are copies, drafts and
letters.
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
from django.db import connection, transaction
from django.db.models import Q, QuerySet

from championship import clock
from championship.accounts.closing import finish_due
from championship.accounts.models import EntranceLetter
from championship.accounts.sign_in_mail import expire
from championship.api.models import KeptAnswer
from championship.clubs.models import Report
from championship.notices.models import Notice, SentMail
from championship.rallies.models import KeptPaper
from championship.runs.models import Draft, Run

logger = logging.getLogger(__name__)

BATCH = 1000
"""Rows in one transaction: nobody waits long for any of them."""

Rule = Callable[[datetime], int]
"""Throws away what is older than that moment; how many rows."""


def throw_away(*, now: datetime | None = None) -> dict[str, int]:
    """Throw away what was kept long enough; how many rows, by what they were. One rule that fails stops no other."""
    now = now or clock.now()
    done = {}
    for name, rule in RULES.items():
        try:
            done[name] = rule(now - timedelta(days=settings.RETENTION_DAYS[name]))
        except Exception:
            logger.exception("%s could not be thrown away", name)
    logger.info("thrown away: %s", ", ".join(f"{name} {count}" for name, count in done.items()))
    return done


def _sessions(_before: datetime) -> int:
    """Sessions that have expired; the engine knows which."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
    return 0


def _throttles(before: datetime) -> int:
    """Rows of the cache, which throttles count in, that have expired."""
    cache = caches["default"]
    if not isinstance(cache, DatabaseCache):
        return 0
    table = connection.ops.quote_name(cache._table)  # type: ignore[attr-defined]
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {table} WHERE expires < %s", [before])  # noqa: S608
        return int(cursor.rowcount)


def _words_of_letters(before: datetime) -> int:
    """What was said in notices that have gone out, or were dropped. The row stays, so that nothing is said twice."""
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
    """Plans that were begun in runs that are over."""
    return _by_batches(Draft.objects.filter(updated_at__lt=before).exclude(run__status=Run.Status.RUNNING))


def _papers(before: datetime) -> int:
    return _by_batches(KeptPaper.objects.filter(asked_at__lt=before).filter(Q(made_at=None) | Q(made_at__lt=before)))


def _kept_answers(before: datetime) -> int:
    return _by_batches(KeptAnswer.objects.filter(asked_at__lt=before))


def _closed_accounts(before: datetime) -> int:
    """What is only the person's, once their account was closed for so long."""
    return finish_due(before=before)


def _reports(before: datetime) -> int:
    return _by_batches(Report.objects.filter(settled_at__lt=before))


def _settled(before: datetime) -> QuerySet[Notice]:
    """Notices that nobody has anything left to do about. Dead and held ones wait for the operator."""
    return Notice.objects.filter(status__in=[Notice.Status.SENT, Notice.Status.DROPPED], created_at__lt=before).filter(
        Q(sent_at=None) | Q(sent_at__lt=before)
    )


def _delete(rows: QuerySet[Any]) -> int:
    return rows.delete()[0]


def _by_batches(rows: QuerySet[Any], treat: Callable[[QuerySet[Any]], int] = _delete) -> int:
    """Treat all of these rows, BATCH of them in a transaction; how many."""
    done = 0
    while True:
        with transaction.atomic():
            some = list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH])
            treat(rows.model._base_manager.filter(pk__in=some))
        done += len(some)
        if len(some) < BATCH:
            return done


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
}
