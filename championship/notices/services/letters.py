"""Writes notices and drops them, and lets the operator handle those that were not sent."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import connection, transaction

from championship.accounts.models import User
from championship.accounts.zones import zone
from championship.notices import kinds, tasks
from championship.notices.channels import Channel
from championship.notices.models import Notice, Preferences, Webhook
from championship.notices.selectors import (
    channels_for,
    reached,
    webhooks_of_club,
)
from championship.platform import clock, task_dispatch

if TYPE_CHECKING:
    from django.db.models import Model

_DROP = """
    UPDATE notices_notice SET status = 'dropped' WHERE id IN (
        SELECT id FROM notices_notice
        WHERE kind = ANY(%s) AND subject_key = ANY(%s) AND status = 'queued'
        FOR UPDATE SKIP LOCKED
    )
"""


@dataclass(frozen=True, slots=True)
class Letter:
    """A message to one person, before it is split by channel. `subject_key` says what it is about, such as
    "run 7 turn 12": nothing is sent twice over one channel. `context` fills the kind's texts (plain JSON values, and
    datetimes). `link` is a path. Letters with the same `thread`, such as "rally KEY", are shown together. `mail_after`:
    the moment before which no mail goes out; other channels do not wait for it.
    """

    recipient: User
    kind: str
    subject_key: str
    context: Mapping[str, Any]
    link: str
    thread: str = ""
    mail_after: datetime | None = None


def enqueue(
    *,
    recipient: User,
    kind: str,
    subject_key: str,
    context: Mapping[str, Any],
    link: str,
    thread: str = "",
    mail_after: datetime | None = None,
) -> Notice | None:
    """Write notices to `recipient`. They are sent after the commit, over every channel that the person has chosen.

    The arguments are those of a Letter. Returns one of the notices; None when all are written already, or the person
    has switched that kind off.

    Raises: LookupError when the kind is unknown.
    """
    return _write(_notices_of([Letter(recipient, kind, subject_key, context, link, thread, mail_after)]))


@transaction.atomic(savepoint=False)
def enqueue_many(letters: Sequence[Letter]) -> None:
    """Write the notices of these letters, each as `enqueue` does: two queries, however many there are."""
    notices = _notices_of(letters)
    if notices:
        Notice.objects.bulk_create(notices, ignore_conflicts=True)
        queue_delivery(notice.channel for notice in notices)


def _notices_of(letters: Sequence[Letter]) -> list[Notice]:
    """The notices of these letters, not written yet: one for each channel that reaches the reader, and over the webhook
    channel one for each webhook. One query.
    """
    now, found = clock.now(), reached(letter.recipient for letter in letters)
    return [
        Notice(
            recipient=letter.recipient,
            webhook=webhook,
            channel=channel,
            kind=letter.kind,
            subject_key=letter.subject_key,
            thread=letter.thread,
            context=dict(letter.context),
            link=letter.link,
            created_at=now,
            next_try_at=max(
                first_try(
                    found.preferences.get(letter.recipient.pk) or Preferences(person=letter.recipient),
                    kinds.get(letter.kind),
                    channel,
                    time_zone=letter.recipient.time_zone,
                    now=now,
                ),
                (letter.mail_after if channel == Channel.MAIL else None) or now,
            ),
        )
        for letter in letters
        for channel in channels_for(letter.recipient, kinds.get(letter.kind), found.channels, found.switched)
        for webhook in _webhooks(channel, letter.kind, found.webhooks.get(letter.recipient.pk, ()))
    ]


def _webhooks(channel: str, kind: str, hooked: Iterable[Webhook]) -> list[Webhook | None]:
    """The webhooks to which a notice of that kind goes over the webhook channel; for any other channel one None."""
    return [hook for hook in hooked if hook.takes(kind)] if channel == Channel.WEBHOOK else [None]


@transaction.atomic
def announce(*, club: "Model", kind: str, subject_key: str, context: Mapping[str, Any], link: str) -> Notice | None:
    """Post something public to each of the club's webhooks, once, after the commit.

    Returns one of the notices; None when no webhook takes it, or all are written already.

    Raises: LookupError when the kind is not registered with public=True.
    """
    if not kinds.get(kind).public:
        raise LookupError(f"{kind!r} is not for clubs.")
    now = clock.now()
    return _write(
        [
            Notice(
                club_id=club.pk,
                webhook=webhook,
                channel=Channel.WEBHOOK,
                kind=kind,
                subject_key=subject_key,
                context=dict(context),
                link=link,
                created_at=now,
                next_try_at=now,
            )
            for webhook in webhooks_of_club(club.pk)
            if webhook.takes(kind)
        ]
    )


def first_try(preferences: Preferences, kind: kinds.Kind, channel: str, *, time_zone: str, now: datetime) -> datetime:
    """When a notice that is written now is sent: at once, or with the reader's next collected letter.

    If a clock change skips the reader's hour on that day, the hour after it is used.
    """
    if kind.urgent or channel != Channel.MAIL or preferences.rhythm == Preferences.Rhythm.AT_ONCE:
        return now
    if preferences.rhythm == Preferences.Rhythm.HOURLY:
        return now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    here = zone(time_zone)
    today = now.astimezone(here).date()
    for day in (today, today + timedelta(days=1), today + timedelta(days=2)):
        moment = datetime.combine(day, preferences.daily_at, tzinfo=here).astimezone(now.tzinfo)
        if moment > now:
            return moment
    raise AssertionError("a day has come to no end")


def drop(*, kind: str, subject_key: str) -> int:
    """Drop the notices of that kind about that subject that are still queued, to anybody. Returns how many."""
    return drop_many(kinds=[kind], subject_keys=[subject_key])


def drop_many(*, kinds: Iterable[str], subject_keys: Iterable[str]) -> int:
    """The same for several kinds and subjects, in one statement.

    It does not wait for a notice that is being sent at this moment. Its kind's `still_wanted` decides about that one.
    """
    with connection.cursor() as cursor:
        cursor.execute(_DROP, [list(kinds), list(subject_keys)])
        return int(cursor.rowcount)


@transaction.atomic
def retry_undelivered(*, ids: Iterable[str]) -> int:
    """Send dead or unsure notices again, for the operator. Returns how many. Other notices do not change."""
    again = Notice.objects.filter(pk__in=list(ids), status__in=[Notice.Status.DEAD, Notice.Status.UNSURE])
    channels = set(again.values_list("channel", flat=True))
    count = again.update(
        status=Notice.Status.QUEUED, attempts=0, next_try_at=clock.now(), first_tried_at=None, handed_over_at=None
    )
    if channels:
        queue_delivery(channels)
    return count


@transaction.atomic
def drop_undelivered(*, ids: Iterable[str]) -> int:
    """Drop dead or unsure notices, for the operator. Returns how many."""
    odd = Notice.objects.filter(pk__in=list(ids), status__in=[Notice.Status.DEAD, Notice.Status.UNSURE])
    return odd.update(status=Notice.Status.DROPPED)


def queue_delivery(channels: Iterable[str]) -> None:
    """Have workers deliver over these channels after this commit: once each, however many notices it writes.

    A broker that is down must not undo the commit. Beat starts deliveries each minute anyway.
    """
    asked = set(channels)
    for channel, task in tasks.BY_CHANNEL.items():
        if channel in asked:
            task_dispatch.after_commit(task)


@transaction.atomic
def _write(notices: Iterable[Notice]) -> Notice | None:
    """Store the notices that are not written yet. Returns one of them, if any."""
    fresh = list(notices)
    if not fresh:
        return None
    Notice.objects.bulk_create(fresh, ignore_conflicts=True)
    kept = set(Notice.objects.filter(pk__in=[notice.pk for notice in fresh]).values_list("pk", flat=True))
    written = [notice for notice in fresh if notice.pk in kept]
    if written:
        queue_delivery(notice.channel for notice in written)
    return written[0] if written else None
