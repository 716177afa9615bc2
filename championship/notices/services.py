"""Writing notices, dropping them, and the operator's hand on those that did not go out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import connection, transaction

from championship import clock
from championship.accounts.models import User
from championship.accounts.zones import zone
from championship.notices import kinds, tasks
from championship.notices.channels import Channel
from championship.notices.delivery import deliver_due
from championship.notices.mailing import refuse_address, trust_address
from championship.notices.models import Notice, Preferences
from championship.notices.selectors import channels_for, club_listens, preferences_of

if TYPE_CHECKING:
    from django.db.models import Model

__all__ = [
    "announce",
    "deliver_due",
    "drop",
    "enqueue",
    "first_try",
    "let_go",
    "offer_to_workers",
    "refuse_address",
    "trust_address",
    "try_again",
]


@transaction.atomic
def enqueue(
    *, recipient: User, kind: str, subject_key: str, context: Mapping[str, Any], link: str, thread: str = ""
) -> Notice | None:
    """Write what `recipient` is to be told; it is sent after the commit, over every channel they have chosen.

    `subject_key` says what it is about, such as "run 7 turn 12": the same thing is never said twice over one
    channel. `context` feeds the kind's words (JSON-plain, and datetimes); `link` is a path. Letters with the same
    `thread`, such as "rally KEY", are shown together. Returns one of the notices, None when all are written
    already or the person has switched that kind off. LookupError for an unknown kind.
    """
    known = kinds.get(kind)
    channels = channels_for(recipient, known)
    if not channels:
        return None
    now = clock.now()
    preferences = preferences_of(recipient)
    return _write(
        Notice(
            recipient=recipient,
            channel=channel,
            kind=kind,
            subject_key=subject_key,
            thread=thread,
            context=dict(context),
            link=link,
            created_at=now,
            next_try_at=first_try(preferences, known, channel, time_zone=recipient.time_zone, now=now),
        )
        for channel in channels
    )


@transaction.atomic
def announce(*, club: "Model", kind: str, subject_key: str, context: Mapping[str, Any], link: str) -> Notice | None:
    """Post something public to the club's webhook, once, after the commit; None without one, or when it is written.

    `kind` is one registered with public=True; LookupError otherwise.
    """
    if not kinds.get(kind).public:
        raise LookupError(f"{kind!r} is not for clubs.")
    if not club_listens(club.pk):
        return None
    now = clock.now()
    return _write(
        [
            Notice(
                club_id=club.pk,
                channel=Channel.WEBHOOK,
                kind=kind,
                subject_key=subject_key,
                context=dict(context),
                link=link,
                created_at=now,
                next_try_at=now,
            )
        ]
    )


def first_try(preferences: Preferences, kind: kinds.Kind, channel: str, *, time_zone: str, now: datetime) -> datetime:
    """When a notice that is written now goes out: at once, or with the reader's next letter of many.

    Where the clocks change, an hour that the reader's day lacks is the one after it.
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


@transaction.atomic
def drop(*, kind: str, subject_key: str) -> int:
    """Withdraw what is still queued about that subject, to whomever; how many notices that were.

    A notice that is being sent at this moment is not waited for: it is asked whether it is still wanted.
    """
    queued = (
        Notice.objects.select_for_update(skip_locked=True)
        .filter(kind=kind, subject_key=subject_key, status=Notice.Status.QUEUED)
        .values("pk")
    )
    return Notice.objects.filter(pk__in=[row["pk"] for row in queued]).update(status=Notice.Status.DROPPED)


@transaction.atomic
def try_again(*, ids: Iterable[str]) -> int:
    """The operator has dead or unsure notices sent again, now; how many. Others are left as they are."""
    again = Notice.objects.filter(pk__in=list(ids), status__in=[Notice.Status.DEAD, Notice.Status.UNSURE])
    channels = set(again.values_list("channel", flat=True))
    count = again.update(status=Notice.Status.QUEUED, attempts=0, next_try_at=clock.now(), handed_over_at=None)
    if channels:
        offer_to_workers(channels)
    return count


@transaction.atomic
def let_go(*, ids: Iterable[str]) -> int:
    """The operator lets dead or unsure notices be; how many."""
    odd = Notice.objects.filter(pk__in=list(ids), status__in=[Notice.Status.DEAD, Notice.Status.UNSURE])
    return odd.update(status=Notice.Status.DROPPED)


def offer_to_workers(channels: Iterable[str]) -> None:
    """Have workers deliver over these channels after this commit: once each, however many notices it writes.

    A broker that is down must not undo what is committed: beat delivers each minute anyway.
    """
    waiting = [entry[1] for entry in connection.run_on_commit if isinstance(entry[1], _DeliverSoon)]
    if waiting:
        waiting[0].channels.update(channels)
    else:
        transaction.on_commit(_DeliverSoon(set(channels)), robust=True)


@dataclass(slots=True)
class _DeliverSoon:
    """Called after the commit: mail first, and nothing more once the broker proves to be down."""

    channels: set[str]

    def __call__(self) -> None:
        for channel, task in tasks.BY_CHANNEL.items():
            if channel in self.channels:
                task.delay()


def _write(notices: Iterable[Notice]) -> Notice | None:
    """Keep those that are not written yet; one of them, if any."""
    fresh = list(notices)
    Notice.objects.bulk_create(fresh, ignore_conflicts=True)
    kept = set(Notice.objects.filter(pk__in=[notice.pk for notice in fresh]).values_list("pk", flat=True))
    written = [notice for notice in fresh if notice.pk in kept]
    if written:
        offer_to_workers(notice.channel for notice in written)
    return written[0] if written else None
