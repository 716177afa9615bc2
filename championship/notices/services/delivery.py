"""Sends due notices: no notice is sent twice or forgotten.

**Queues.** All notices to one person (or club) over one channel form a queue. A worker holds the queue's advisory lock
while it delivers. PostgreSQL releases the lock when its holder dies. So any number of workers share the work, no two of
them work on one queue, and no timeout decides which worker is alive.

**Together.** All due notices of one mail queue go in one letter. After AT_ONCE letters to one person within COLLECT,
the next letter waits until COLLECT is over, and contains everything that has come in meanwhile: ten runs that open at
once cause at most four letters, not ten. A person who asked for one letter an hour or a day gets it by the same rule,
because such notices become due at that moment (services.py). Urgent kinds do not wait for it.

**Twice or never.** Between the dot that ends a message and the mail server's response, it is unknown whether the server
has taken the message. The row records the progress: `sending` is committed before anything is sent, `handed_over_at`
right before the dot (on other channels: before the request), `sent` after the response. A worker that dies before
`handed_over_at` has sent nothing, so the row is queued again. A worker that dies after it, or gets no response, leaves
a row that is

- settled at once where the other side can be asked whether it has arrived, as the demo's mailbox can;
- queued again where a copy does no harm: a push replaces itself on the screen (same tag); a plain webhook names its
  delivery, so that the receiver can recognise a copy; a letter, if the operator has set that the mail server drops
  repeated Message-IDs (MAIL_SERVER_DROPS_COPIES);
- otherwise held as `unsure` and shown to the operator, who searches the mail server's log for the Message-ID and sends
  it again, or lets it go. Meanwhile the reader's pages still show what it is about.

This uncertain time lasts only as long as one response takes.

**Time.** A worker checks the end of its time before each queue, and each channel has its own task (tasks.py): a slow
webhook does not delay letters. If Celery's soft time limit is reached anyway, the worker first stores what is known of
the letter that it was sending, and then ends the run.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import OuterRef, QuerySet, Subquery

from championship.failures.services import Attempts
from championship.notices import kinds, mail_health
from championship.notices.channels import Channel
from championship.notices.delivery_errors import (
    DeliveryError,
    NoRecipient,
    PermanentFailure,
    TemporaryFailure,
    UnknownOutcome,
)
from championship.notices.models import Notice, Switch
from championship.notices.services.recipient_queues import RecipientQueue
from championship.notices.services.transports import Transport, Transports
from championship.platform import clock

BATCH = 100
"""The most letters, pushes and posts of one run. The next run sends the rest."""
MAX_ATTEMPTS = 12
"""With the waits below that is about ten hours of trying."""
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(hours=2)
AT_ONCE = 3
COLLECT = timedelta(minutes=2)
MOST_IN_A_LETTER = 30
RECONNECTS = (0, 1, 3, 10)
"""Seconds to wait before each try to store what was sent, while the database is not reachable."""

Status = Notice.Status


@dataclass(slots=True)
class SweepState:
    """The state of one sweep: its channels, its end, its clock, and the queues and channels that it skips from now on.

    given: a fixed time instead of the clock. passed: queues to skip. closed: channels to skip. tries: the queues that
    failed, and are skipped until their time has come.
    """

    transports: Transports
    given: datetime | None
    channels: Collection[str]
    until: float | None
    passed: set[RecipientQueue] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    tries: Attempts = field(init=False)

    def __post_init__(self) -> None:
        self.tries = Attempts("notices", now=self.now())
        self.passed |= {RecipientQueue.of_key(key) for key in self.tries.put_off()}

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
    """Send what is due at `now`, at most `limit` letters, pushes and posts. Returns how many notices were sent.

    Nothing is begun after `until`, a moment of time.monotonic(). A message that was begun before is finished.
    """
    with Transports() as transports:
        sweep = SweepState(transports, now, channels, until)
        settle_lost(transports, sweep.tries, now=sweep.now(), channels=channels)
        sent = 0
        while limit > 0 and not sweep.over and (queues := _next_queues(sweep, limit)):
            limit -= len(queues)
            for queue in queues:
                if sweep.over:
                    break
                if queue.channel in sweep.closed:
                    continue
                with queue.held() as ours:
                    done = sweep.tries.attempt(queue.key, partial(_deliver_from, queue, sweep)) if ours else None
                if done is None:
                    sweep.passed.add(queue)
                sent += done or 0
        return sent


def _next_queues(sweep: SweepState, limit: int) -> list[RecipientQueue]:
    """The queues of the notices that have been due longest, each once, without those that this sweep skips."""
    open_channels = [channel for channel in sweep.channels if channel not in sweep.closed]
    due = Notice.objects.filter(status=Status.QUEUED, next_try_at__lte=sweep.now(), channel__in=open_channels)
    for queue in sweep.passed:
        due = due.exclude(queue.condition())
    rows = due.order_by("next_try_at", "created_at").values_list("channel", "recipient_id", "club_id")[:limit]
    queues = list(dict.fromkeys(RecipientQueue(*row) for row in rows))
    start = os.getpid() * 37 % len(queues) if queues else 0  # workers begin apart, so they seldom collide
    return queues[start:] + queues[:start]


def _deliver_from(queue: RecipientQueue, sweep: SweepState) -> int:
    """Send one letter, push or post from the queue, whose lock is held. Returns how many notices it contained."""
    transport = sweep.transports.of(queue.channel)
    with transaction.atomic():
        due = _take_due(queue, transport, sweep.now())
        wanted = [row.notice for row in due if _check_wanted(row, sweep.now())]
        if not wanted:
            return 0
        try:
            wanted, parcel = _pack(transport, wanted)
        except SoftTimeLimitExceeded:
            raise  # not caused by this letter: it stays as it was
        except Exception as error:  # a template may raise anything: the row stores it
            wanted[0].attempts += 1
            return _settle(wanted[:1], error, sweep)
        claimed = sweep.now()
        for notice in wanted:
            notice.status, notice.claimed_at, notice.handed_over_at = Status.SENDING, claimed, None
            notice.attempts += 1
        Notice.objects.bulk_update(wanted, ["status", "claimed_at", "handed_over_at", "attempts"])
    return _send(transport, parcel, wanted, sweep)


@dataclass(frozen=True, slots=True)
class DueNotice:
    """A notice to send. `switched`: whether its reader has switched that kind on or off for the channel; else None."""

    notice: Notice
    switched: bool | None


def _take_due(queue: RecipientQueue, transport: Transport, now: datetime) -> list[DueNotice]:
    """The notices to send next, locked. An empty list while the reader has just had AT_ONCE letters: the notices then
    wait.
    """
    due = queue.rows().filter(status=Status.QUEUED, next_try_at__lte=now)
    rows = (
        due.select_for_update(skip_locked=True, of=("self",))
        .select_related("recipient")
        .annotate(switched=_SWITCHED, enough_since=Subquery(_recent(now).values("sent_at")[AT_ONCE - 1 : AT_ONCE]))
        .order_by("created_at")
    )
    taken = list(rows[: MOST_IN_A_LETTER if transport.combines_notices else 1])
    if taken and transport.combines_notices and taken[0].enough_since:
        due.update(next_try_at=taken[0].enough_since + COLLECT)
        return []
    return [DueNotice(notice, notice.switched) for notice in taken]


_SWITCHED = Subquery(
    Switch.objects.filter(person=OuterRef("recipient"), channel=OuterRef("channel"), kind=OuterRef("kind")).values(
        "on"
    )[:1]
)


def _recent(now: datetime) -> QuerySet[Notice, Any]:
    """When letters went to the same reader within COLLECT, newest first. All notices of a letter have the same time."""
    queue = Notice.objects.filter(recipient=OuterRef("recipient"), channel=OuterRef("channel"), status=Status.SENT)
    within = queue.filter(sent_at__gt=now - COLLECT, sent_at__lte=now)
    return within.order_by("-sent_at").values("sent_at").distinct()


def _check_wanted(row: DueNotice, now: datetime) -> bool:
    """Whether to send the notice. If not, it is marked as dropped, or delayed when the check failed."""
    notice = row.notice
    try:
        if _wanted(notice, switched=row.switched):
            return True
        notice.status = Status.DROPPED
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:  # an app's still_wanted may raise anything
        notice.attempts += 1
        _put_off([notice], now=now, reason=_reason_of(error))
    _save([notice])
    return False


def _wanted(notice: Notice, *, switched: bool | None) -> bool:
    kind = kinds.get(notice.kind)
    person = notice.recipient
    if person is not None and (not person.is_active or person.closed_at is not None):
        return False
    if person is not None and not kind.wanted(notice.channel, chosen=switched):
        return False
    if kind.still_wanted is None:
        return True
    with transaction.atomic():  # its own savepoint, so that a failure does not break the outer transaction
        return kind.still_wanted(notice)


def _pack(transport: Transport, notices: list[Notice]) -> tuple[list[Notice], Any]:
    """Returns the notices that are sent together, and their parcel: all, or only the first if packing all fails."""
    try:
        return notices, transport.pack(notices)
    except (DeliveryError, SoftTimeLimitExceeded):
        raise
    except Exception:
        if len(notices) == 1:
            raise
        return notices[:1], transport.pack(notices[:1])


def _send(transport: Transport, parcel: Any, notices: list[Notice], sweep: SweepState) -> int:
    """Send, and store the outcome in a transaction of its own. SoftTimeLimitExceeded is raised again after that."""
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
        failure, out_of_time = UnknownOutcome(_reason_of(error)) if handed_over else error, _time_limit_behind(error)
    sent = _write_with_retries(lambda: _settle(notices, failure, sweep))
    if out_of_time is not None:
        raise out_of_time
    return sent


def _time_limit_behind(error: BaseException | None) -> SoftTimeLimitExceeded | None:
    """The soft time limit if it interrupted the sending, also when a transport has wrapped it in another error."""
    while error is not None and not isinstance(error, SoftTimeLimitExceeded):
        error = error.__cause__ or error.__context__
    return error


def _settle(notices: Sequence[Notice], failure: Exception | None, sweep: SweepState) -> int:
    """Set the outcome of the try on the rows and store it. Returns how many notices were sent."""
    now = sweep.now()
    if notices[0].channel == Channel.MAIL:
        mail_health.record(failure, now=now)
    if isinstance(failure, TemporaryFailure) and failure.server_unreachable:
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
        _put_off(notices, now=now, reason=_reason_of(failure), after=after)
    _save(notices)
    return len(notices) if failure is None else 0


def _put_off(notices: Sequence[Notice], *, now: datetime, reason: str, after: timedelta | None = None) -> None:
    """Wait about twice as long after each failure, and give up after MAX_ATTEMPTS. All rows get the same next try."""
    wait = max(wait_after(notices[0].attempts, name=str(notices[0].pk)), after or timedelta(0))
    for notice in notices:
        _mark([notice], Status.DEAD if notice.attempts >= MAX_ATTEMPTS else Status.QUEUED, reason)
        notice.next_try_at, notice.first_tried_at = now + wait, notice.first_tried_at or now


def wait_after(attempts: int, *, name: str) -> timedelta:
    """How long to wait after this many failures: a minute, doubled each time, up to a quarter more or less by the name.

    The quarter spreads rows that failed together. It depends on the name, so the same row always waits equally long.
    """
    spread = hashlib.sha256(f"{name} {attempts}".encode()).digest()[0] / 255  # 0 to 1
    doubled: timedelta = FIRST_WAIT * 2 ** max(attempts - 1, 0)
    return min(doubled, LONGEST_WAIT) * (0.75 + spread / 2)


def _mark(notices: Iterable[Notice], status: str, reason: str) -> None:
    for notice in notices:
        notice.status, notice.error = status, reason.replace("\x00", "")[:2000]


def _reason_of(error: Exception | None) -> str:
    return str(error) if isinstance(error, DeliveryError) else f"{type(error).__name__}: {error}"


def _save(notices: Sequence[Notice]) -> None:
    """Store the rows, except those that the operator has settled meanwhile."""
    for notice in notices:
        Notice.objects.filter(pk=notice.pk, status__in=[Status.QUEUED, Status.SENDING, Status.UNSURE]).update(
            status=notice.status,
            sent_at=notice.sent_at,
            error=notice.error,
            attempts=notice.attempts,
            next_try_at=notice.next_try_at,
            first_tried_at=notice.first_tried_at,
            reached=notice.reached,
        )


def _write_with_retries(write: Callable[[], int]) -> int:
    """Call `write` in a transaction of its own. While the database is not reachable, retry, so that the outcome is not
    lost.

    The soft time limit is raised only once; it is raised again after the write.
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
