"""Settles notices whose sender died while it sent them (see delivery.py)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import partial

from django.db import transaction

from championship.failures.services import Attempts
from championship.notices.channels import Channel
from championship.notices.models import Notice
from championship.notices.services.recipient_queues import RecipientQueue
from championship.notices.services.transports import Transport, Transports

Status = Notice.Status


def settle_lost(
    transports: Transports, tries: Attempts, *, now: datetime, channels: Collection[str] = Channel.values
) -> int:
    """Settle rows whose sender died, queue them again, or hold them as unsure (see delivery.py). Returns how many. A
    queue that fails is put off.
    """
    found = 0
    lost_rows = Notice.objects.filter(status=Status.SENDING, channel__in=channels)
    for row in lost_rows.values("channel", "recipient_id", "club_id").distinct():
        queue = RecipientQueue(row["channel"], row["recipient_id"], row["club_id"])
        if tries.is_put_off(queue.key):
            continue
        with queue.held() as ours:
            if ours:
                transport = transports.of(queue.channel)
                found += tries.attempt(queue.key, partial(_settle_lost_of, queue, transport, now)) or 0
    return found


@transaction.atomic
def _settle_lost_of(queue: RecipientQueue, transport: Transport, now: datetime) -> int:
    """Settle the lost rows of one queue, whose lock is held. Returns how many."""
    lost = list(queue.rows().select_for_update().filter(status=Status.SENDING))
    for together in _by_letter(lost):
        _settle_letter(transport, together, now)
    return len(lost)


def _by_letter(notices: Iterable[Notice]) -> Iterable[list[Notice]]:
    """Groups notices by the letter in which they went out: all notices of a letter were claimed at one moment."""
    letters: dict[datetime | None, list[Notice]] = {}
    for notice in notices:
        letters.setdefault(notice.claimed_at, []).append(notice)
    return letters.values()


def _settle_letter(transport: Transport, lost: Sequence[Notice], now: datetime) -> None:
    """Settle notices that went out together and whose sender died."""
    arrived = transport.arrived(lost) if lost[0].handed_over_at else False
    for notice in lost:
        if arrived:
            notice.status, notice.sent_at, notice.error = Status.SENT, now, ""
        elif arrived is False or transport.repeats_harmlessly([notice]):
            notice.status, notice.next_try_at = Status.QUEUED, now
        else:
            notice.status = Status.UNSURE
            notice.error = "the sender stopped before the answer came"
    Notice.objects.bulk_update(lost, ["status", "sent_at", "next_try_at", "error"])
