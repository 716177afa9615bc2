"""Sending what is due: one row, one lock, one transaction each, so that nothing is sent twice.

Any number of processes may deliver at once: each takes rows that no other holds. A process that dies lets go
of its row, and the next one takes it up as if nothing had happened.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from championship.notices import kinds
from championship.notices.letters import write_mail
from championship.notices.models import Mute, Notice

BATCH = 100
"""Rows one run looks at, at most; the next run takes up the rest."""
MAX_ATTEMPTS = 8
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(hours=2)


def deliver_due(*, now: datetime | None = None, limit: int = BATCH) -> int:
    """Deal with up to `limit` notices due at `now`: sent, dropped, or put off. Returns how many were sent."""
    moment = now or timezone.now()
    sent = 0
    for _turn in range(limit):
        status = deliver_next(now=moment)
        if status is None:
            break
        sent += status == Notice.Status.SENT
    return sent


@transaction.atomic
def deliver_next(*, now: datetime) -> str | None:
    """Deal with one notice due at `now` that nobody else holds; its new status, or None without one."""
    notice = (
        Notice.objects.select_for_update(skip_locked=True, of=("self",))
        .select_related("recipient")
        .filter(status=Notice.Status.QUEUED, next_try_at__lte=now)
        .order_by("next_try_at", "created_at")
        .first()
    )
    if notice is None:
        return None
    try:
        with transaction.atomic():
            if _wanted(notice):
                write_mail(notice).send()
                notice.status, notice.sent_at, notice.error = Notice.Status.SENT, now, ""
            else:
                notice.status = Notice.Status.DROPPED
        notice.attempts += 1
    except Exception as error:  # whatever a mail server or a template may raise: the row keeps it
        _put_off(notice, now=now, reason=f"{type(error).__name__}: {error}")
    notice.save(update_fields=["status", "sent_at", "error", "attempts", "next_try_at"])
    return notice.status


def _wanted(notice: Notice) -> bool:
    if not notice.recipient.is_active:
        return False
    if Mute.objects.filter(person=notice.recipient, channel=notice.channel, kind=notice.kind).exists():
        return False
    still_wanted = kinds.get(notice.kind).still_wanted
    return still_wanted is None or still_wanted(notice)


def _put_off(notice: Notice, *, now: datetime, reason: str) -> None:
    """Wait twice as long after each failure, and give up after MAX_ATTEMPTS."""
    notice.attempts += 1
    notice.error = reason.replace("\x00", "")[:2000]
    if notice.attempts >= MAX_ATTEMPTS:
        notice.status = Notice.Status.DEAD
    else:
        notice.next_try_at = now + min(FIRST_WAIT * 2 ** (notice.attempts - 1), LONGEST_WAIT)
