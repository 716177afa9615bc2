"""Sending what is due: never twice, never forgotten.

**Queues.** All notices to one person (or club) over one channel form a queue. A worker that delivers holds the queue's
advisory lock for as long as it takes; PostgreSQL lets go of it the moment its holder dies. So any number of
workers share the work, no queue is worked by two, and no clock decides who is alive.

**Together.** What is due in one mail queue goes in one letter. After AT_ONCE letters to one person within COLLECT
the next waits until COLLECT is over, with all that comes in meanwhile: ten runs that open at once are four
letters at most, not ten. A person who asked for one letter an hour or a day gets it by the same rule, since such
notices are simply due at that moment (services.py); urgent kinds do not wait for it.

**Twice or never.** Between the dot that ends a message and the mail server's answer nobody can know whether it
was taken. The row says how far it came: `sending` is committed before anything is sent, `handed_over_at` right
before the dot (for the others: before the request), `sent` after the answer. A worker that dies before the mark has
sent nothing: the row is queued again. One that dies after it, or gets no answer, leaves a row that is

- settled at once where the other side can be asked whether it has arrived, as the demo's mailbox can;
- queued again where a copy does no harm: a push replaces itself on the screen (same tag), a plain webhook names
  its delivery, so that the receiver can tell; and letters, where the operator has said that the mail server drops
  repeated Message-IDs (MAIL_SERVER_DROPS_COPIES);
- otherwise held as `unsure` and shown to the operator, who asks the mail server's log by the Message-ID and has
  it sent again, or lets it go. What it was about stays on the reader's pages all the while.

The window is the time of one answer.

**Time.** Who delivers looks at the end of its time before each queue, and each channel has a task of its own
(tasks.py): somebody's slow webhook keeps nobody's letter waiting. Should Celery's soft limit strike all the same,
what is known of the letter that was on its way is written down first, and then the run ends.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import OuterRef, QuerySet, Subquery

from championship import clock
from championship.notices import kinds
from championship.notices.channels import Channel
from championship.notices.delivery_errors import (
    DeliveryError,
    NoRecipient,
    PermanentFailure,
    TemporaryFailure,
    UnknownOutcome,
)
from championship.notices.models import Notice, Switch
from championship.notices.recipient_queues import RecipientQueue
from championship.notices.transports import Transport, Transports

BATCH = 100
"""Letters, pushes and posts one run sends, at most; the next run takes up the rest."""
MAX_ATTEMPTS = 12
"""With the waits below that is about ten hours of trying."""
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(hours=2)
AT_ONCE = 3
COLLECT = timedelta(minutes=2)
MOST_IN_A_LETTER = 30
RECONNECTS = (0, 1, 3, 10)
"""Seconds to wait before each try to write down what was sent, while the database is away."""

Status = Notice.Status


@dataclass(slots=True)
class Round:
    """One sweep: over which channels, until when, what it must not look at again, and what time it is."""

    transports: Transports
    given: datetime | None
    channels: Collection[str]
    until: float | None
    passed: set[RecipientQueue] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)

    def now(self) -> datetime:
        return self.given or clock.now()

    @property
    def over(self) -> bool:
        return self.until is not None and time.monotonic() >= self.until


def deliver_due(
    *,
    now: datetime | None = None,
    limit: int = BATCH,
    channels: Collection[str] = Channel.values,
    until: float | None = None,
) -> int:
    """Deal with what is due at `now`, `limit` letters, pushes and posts at most; how many notices were sent.

    Nothing is begun after `until`, a moment of time.monotonic(); what was begun by then is brought to its end.
    """
    with Transports() as transports:
        sweep = Round(transports, now, channels, until)
        take_up_the_lost(transports, now=sweep.now(), channels=channels)
        sent = 0
        while limit > 0 and not sweep.over and (queues := _next_queues(sweep, limit)):
            limit -= len(queues)
            for queue in queues:
                if sweep.over:
                    break
                if queue.channel in sweep.closed:
                    continue
                with queue.held() as ours:
                    if ours:
                        sent += _deliver_from(queue, sweep)
                    else:
                        sweep.passed.add(queue)
        return sent


def take_up_the_lost(transports: Transports, *, now: datetime, channels: Collection[str] = Channel.values) -> int:
    """Rows whose sender died: queued again, or held as unsure. How many. See the module's words on that."""
    found = 0
    lost_rows = Notice.objects.filter(status=Status.SENDING, channel__in=channels)
    for row in lost_rows.values("channel", "recipient_id", "club_id").distinct():
        queue = RecipientQueue(row["channel"], row["recipient_id"], row["club_id"])
        with queue.held() as ours:
            if not ours:
                continue
            with transaction.atomic():
                lost = list(queue.rows().select_for_update().filter(status=Status.SENDING))
                for together in _by_letter(lost):
                    _settle_lost(transports.of(queue.channel), together, now)
                found += len(lost)
    return found


def _by_letter(notices: Iterable[Notice]) -> Iterable[list[Notice]]:
    """Notices that were claimed together went out together."""
    letters: dict[datetime | None, list[Notice]] = {}
    for notice in notices:
        letters.setdefault(notice.claimed_at, []).append(notice)
    return letters.values()


def _settle_lost(transport: Transport, lost: Sequence[Notice], now: datetime) -> None:
    """Settle notices that went out together, and whose sender died."""
    arrived = transport.arrived(lost) if lost[0].handed_over_at else False
    for notice in lost:
        if arrived:
            notice.status, notice.sent_at, notice.error = Status.SENT, now, ""
        elif arrived is False or transport.repeats_harmlessly([notice]):
            notice.status, notice.next_try_at = Status.QUEUED, now
        else:
            notice.status = Status.UNSURE
            notice.error = "whoever sent it died before the answer came"
    Notice.objects.bulk_update(lost, ["status", "sent_at", "next_try_at", "error"])


def _next_queues(sweep: Round, limit: int) -> list[RecipientQueue]:
    """The queues of the notices that have been due longest, each once, of those this round may look at."""
    open_channels = [channel for channel in sweep.channels if channel not in sweep.closed]
    due = Notice.objects.filter(status=Status.QUEUED, next_try_at__lte=sweep.now(), channel__in=open_channels)
    for queue in sweep.passed:
        due = due.exclude(queue.condition())
    rows = due.order_by("next_try_at", "created_at").values_list("channel", "recipient_id", "club_id")[:limit]
    queues = list(dict.fromkeys(RecipientQueue(*row) for row in rows))
    start = os.getpid() * 37 % len(queues) if queues else 0  # workers begin apart, so that they seldom meet
    return queues[start:] + queues[:start]


def _deliver_from(queue: RecipientQueue, sweep: Round) -> int:
    """Send one letter, push or post from the queue, which is held; how many notices that were."""
    transport = sweep.transports.of(queue.channel)
    with transaction.atomic():
        due = _take_due(queue, transport, sweep.now())
        wanted = [notice for notice in due if _settled_unless_wanted(notice, sweep.now())]
        if not wanted:
            return 0
        try:
            wanted, parcel = _pack(transport, wanted)
        except SoftTimeLimitExceeded:
            raise  # no fault of this letter: it stays as it was
        except Exception as error:  # whatever a template may raise: the row keeps it
            wanted[0].attempts += 1
            return _settle(wanted[:1], error, sweep)
        claimed = sweep.now()
        for notice in wanted:
            notice.status, notice.claimed_at, notice.handed_over_at = Status.SENDING, claimed, None
            notice.attempts += 1
        Notice.objects.bulk_update(wanted, ["status", "claimed_at", "handed_over_at", "attempts"])
    return _send(transport, parcel, wanted, sweep)


def _take_due(queue: RecipientQueue, transport: Transport, now: datetime) -> list[Notice]:
    """What goes out next, locked; nothing while the reader has had enough letters, which then wait."""
    due = queue.rows().filter(status=Status.QUEUED, next_try_at__lte=now)
    rows = (
        due.select_for_update(skip_locked=True, of=("self",))
        .select_related("recipient")
        .annotate(switched=_SWITCHED, enough_since=Subquery(_lately(now).values("sent_at")[AT_ONCE - 1 : AT_ONCE]))
        .order_by("created_at")
    )
    taken: list[Any] = list(rows[: MOST_IN_A_LETTER if transport.together else 1])
    if taken and transport.together and taken[0].enough_since:
        due.update(next_try_at=taken[0].enough_since + COLLECT)
        return []
    return taken


_SWITCHED = Subquery(
    Switch.objects.filter(person=OuterRef("recipient"), channel=OuterRef("channel"), kind=OuterRef("kind")).values(
        "on"
    )[:1]
)


def _lately(now: datetime) -> QuerySet[Notice, Any]:
    """When letters went to the same reader within COLLECT, the newest first; those of one letter bear one moment."""
    queue = Notice.objects.filter(recipient=OuterRef("recipient"), channel=OuterRef("channel"), status=Status.SENT)
    within = queue.filter(sent_at__gt=now - COLLECT, sent_at__lte=now)
    return within.order_by("-sent_at").values("sent_at").distinct()


def _settled_unless_wanted(notice: Notice, now: datetime) -> bool:
    """Whether to send it; if not, it is marked as dropped, or put off when asking failed."""
    try:
        if _wanted(notice):
            return True
        notice.status = Status.DROPPED
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:  # whatever an app's still_wanted may raise
        notice.attempts += 1
        _put_off([notice], now=now, reason=_words_of(error))
    _save([notice])
    return False


def _wanted(notice: Notice) -> bool:
    kind = kinds.get(notice.kind)
    person = notice.recipient
    if person is not None and (not person.is_active or person.closed_at is not None):
        return False
    if person is not None and not kind.wanted(notice.channel, chosen=notice.switched):  # type: ignore[attr-defined]
        return False
    if kind.still_wanted is None:
        return True
    with transaction.atomic():  # of its own, so that one that fails spoils nothing but itself
        return kind.still_wanted(notice)


def _pack(transport: Transport, notices: list[Notice]) -> tuple[list[Notice], Any]:
    """What is to be sent, and for which of the notices: all, or the first where they cannot be put together."""
    try:
        return notices, transport.pack(notices)
    except (DeliveryError, SoftTimeLimitExceeded):
        raise
    except Exception:
        if len(notices) == 1:
            raise
        return notices[:1], transport.pack(notices[:1])


def _send(transport: Transport, parcel: Any, notices: list[Notice], sweep: Round) -> int:
    """Send, and write down what came of it in a transaction of its own. SoftTimeLimitExceeded goes on its way then."""
    handed_over = False

    def point_of_no_return() -> None:
        nonlocal handed_over
        Notice.objects.filter(pk__in=[notice.pk for notice in notices]).update(handed_over_at=sweep.now())
        handed_over = True

    failure: Exception | None = None
    out_of_time: SoftTimeLimitExceeded | None = None
    try:
        transport.send(parcel, notices, point_of_no_return)
    except DeliveryError as trouble:
        failure, out_of_time = trouble, _time_limit_behind(trouble)
    except Exception as error:
        failure, out_of_time = UnknownOutcome(_words_of(error)) if handed_over else error, _time_limit_behind(error)
    sent = _as_soon_as_possible(lambda: _settle(notices, failure, sweep))
    if out_of_time is not None:
        raise out_of_time
    return sent


def _time_limit_behind(error: BaseException | None) -> SoftTimeLimitExceeded | None:
    """The soft time limit, where it is what broke the sending off, whatever a transport has made of it."""
    while error is not None and not isinstance(error, SoftTimeLimitExceeded):
        error = error.__cause__ or error.__context__
    return error


def _settle(notices: Sequence[Notice], failure: Exception | None, sweep: Round) -> int:
    """Keep what came of the try in the rows; how many notices were sent."""
    now = sweep.now()
    if isinstance(failure, TemporaryFailure) and failure.nobody_there:
        sweep.transports.unreachable[notices[0].channel] += 1
        if sweep.transports.unreachable[notices[0].channel] >= AT_ONCE:
            sweep.closed.add(notices[0].channel)
    if failure is None:
        sweep.transports.unreachable[notices[0].channel] = 0
        for notice in notices:
            notice.status, notice.sent_at, notice.error = Status.SENT, now, ""
    elif isinstance(failure, NoRecipient):
        _mark(notices, Status.DROPPED, str(failure))
    elif isinstance(failure, PermanentFailure):
        _mark(notices, Status.DEAD, str(failure))
    elif isinstance(failure, UnknownOutcome) and not sweep.transports.of(notices[0].channel).repeats_harmlessly(
        notices
    ):
        _mark(notices, Status.UNSURE, str(failure))
    else:
        after = failure.after if isinstance(failure, TemporaryFailure) else None
        _put_off(notices, now=now, reason=_words_of(failure), after=after)
    _save(notices)
    return len(notices) if failure is None else 0


def _put_off(notices: Sequence[Notice], *, now: datetime, reason: str, after: timedelta | None = None) -> None:
    """Wait about twice as long after each failure, and give up after MAX_ATTEMPTS. The rows stay together."""
    wait = max(wait_after(notices[0].attempts, name=str(notices[0].pk)), after or timedelta(0))
    for notice in notices:
        _mark([notice], Status.DEAD if notice.attempts >= MAX_ATTEMPTS else Status.QUEUED, reason)
        notice.next_try_at = now + wait


def wait_after(attempts: int, *, name: str) -> timedelta:
    """How long to wait after so many failures: a minute, doubled each time, a quarter more or less by the name.

    The quarter spreads those that failed together; it follows from the name, so the same row waits the same.
    """
    spread = hashlib.sha256(f"{name} {attempts}".encode()).digest()[0] / 255  # 0 to 1
    doubled: timedelta = FIRST_WAIT * 2 ** max(attempts - 1, 0)
    return min(doubled, LONGEST_WAIT) * (0.75 + spread / 2)


def _mark(notices: Iterable[Notice], status: str, reason: str) -> None:
    for notice in notices:
        notice.status, notice.error = status, reason.replace("\x00", "")[:2000]


def _words_of(error: Exception | None) -> str:
    return str(error) if isinstance(error, DeliveryError) else f"{type(error).__name__}: {error}"


def _save(notices: Sequence[Notice]) -> None:
    """Keep the rows as they stand; one that the operator has settled meanwhile is left alone."""
    for notice in notices:
        Notice.objects.filter(pk=notice.pk, status__in=[Status.QUEUED, Status.SENDING, Status.UNSURE]).update(
            status=notice.status,
            sent_at=notice.sent_at,
            error=notice.error,
            attempts=notice.attempts,
            next_try_at=notice.next_try_at,
            reached=notice.reached,
        )


def _as_soon_as_possible(write: Callable[[], int]) -> int:
    """Write in a transaction of its own; when the database is away, wait for it rather than forget what was sent.

    The soft time limit strikes once: it waits until that is written.
    """
    out_of_time: SoftTimeLimitExceeded | None = None
    for number, pause in enumerate(RECONNECTS, start=1):
        try:
            time.sleep(pause)
            with transaction.atomic():
                written = write()
            break
        except SoftTimeLimitExceeded as limit:
            if out_of_time is not None or number == len(RECONNECTS):
                raise
            out_of_time = limit
        except (OperationalError, InterfaceError):
            if number == len(RECONNECTS):
                raise
            connection.close()
    if out_of_time is not None:
        raise out_of_time
    return written
