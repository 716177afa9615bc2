"""Checks a finished season: everything was done, once, and in time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta

from django.db.models import F, Max

from championship.notices import NOTICES_HEADER
from championship.notices.channels import Channel
from championship.notices.models import Notice, SentMail, Webhook
from championship.notices.services import drop_undelivered, retry_undelivered
from championship.notices.services.webhook_transport import webhook_of
from championship.platform import clock
from championship.rallies.models import Rally, SpecialStage, StageTime
from championship.runs.models import Run, SentAhead, Turn
from championship.runs.play import check_snapshot
from championship.runs.watch.waiting_turns import subject_of, subjects_of
from tests.chaos.timebook import Span, stages_closed, turns_driven

Status = Notice.Status
TICK = timedelta(minutes=1)
"""The step of the rehearsal's clock. The clock can tick once while a letter is on its way, and a turn can end then."""


def letters_by_notice() -> Counter[str]:
    """Return the number of letters in the database mailbox that contain each notice, by its number. A letter contains
    several notices.
    """
    return Counter(
        number
        for headers in SentMail.objects.values_list("headers", flat=True)
        for number in headers.get(NOTICES_HEADER, "").split()
    )


def faults(
    *, copies: Mapping[str, int], within: timedelta, dark: Collection[Span] = (), over: bool = True
) -> Iterator[str]:
    """Yield each fault in words.

    copies: how often each notice arrived, by its id. within: the longest delay after a deadline. dark: times without
    any worker. over: whether the season came to its end, so that no work may be unfinished.
    """
    if over:
        yield from _rallies()
    yield from turns_driven(within, dark)
    yield from stages_closed(within, dark)
    yield from _plans()
    yield from _reminders()
    yield from _letters(copies, over=over)
    for run in Run.objects.all():
        if not check_snapshot(run=run):
            yield f"run {run.pk}: folding its events does not give its state"


def _rallies() -> Iterator[str]:
    for rally in Rally.objects.exclude(status=Rally.Status.FINISHED):
        yield f"{rally} is {rally.status}, not finished"
    for stage in SpecialStage.objects.exclude(status=SpecialStage.Status.DONE):
        yield f"{stage} of {stage.rally} is {stage.status}, not done"
    for rally in Rally.objects.all():
        times = StageTime.objects.filter(special_stage__rally=rally).count()
        owed = rally.stages.count() * rally.entries.filter(status="confirmed").count()
        if times != owed:
            yield f"{rally}: {times} stage times, {owed} owed"


def _plans() -> Iterator[str]:
    """Check orders ahead: each plan is settled. When one was driven, nobody waited and no notice of a waiting turn was
    sent.
    """
    waiting = SentAhead.objects.filter(state=SentAhead.State.WAITING)
    for plan in waiting.exclude(seat__run__status=Run.Status.RUNNING):
        yield f"plan {plan.pk} still waits, its run is over"
    driven = SentAhead.objects.filter(state=SentAhead.State.DRIVEN).select_related("turn")
    for plan in driven.exclude(turn__ended_at=F("turn__since")):
        yield f"{plan.turn}: its plan was there, and it waited from {plan.turn.since} to {plan.turn.ended_at}"
    subjects = {subject_of(plan.turn): plan for plan in driven}
    for notice in Notice.objects.filter(kind="turn waits", subject_key__in=subjects, status=Status.SENT):
        yield f"{subjects[notice.subject_key].turn}: driven by a plan, yet somebody was told that it waits"


def _reminders() -> Iterator[str]:
    """Check reminders: one for each deadline of a turn, once over each channel, to the right person at the
    right time.
    """
    turns = list(Turn.objects.select_related("run__special_stage__rally"))
    ends = {subject: turn for turn in turns for subject in subjects_of(turn)}
    pauses = {rally.pk: list(rally.pauses.all()) for rally in Rally.objects.prefetch_related("pauses")}
    reminded = Counter[tuple[str, str]]()
    told: dict[tuple[int, str], object] = {}
    for notice in Notice.objects.filter(kind="turn closes soon").order_by("created_at", "pk"):
        turn = ends[notice.subject_key]
        reminded[notice.subject_key, notice.channel] += 1
        if told.get((turn.pk, notice.channel)) == notice.context["deadline"]:
            yield f"{turn}: reminded twice of {notice.context['deadline']}"
        told[turn.pk, notice.channel] = notice.context["deadline"]
        reminded_at = notice.sent_at and (notice.handed_over_at or notice.sent_at)
        if reminded_at and turn.ended_at and reminded_at > turn.ended_at + TICK:
            yield f"{turn}: reminded at {reminded_at}, driven at {turn.ended_at}"
        for pause in pauses[turn.run.special_stage.rally_id]:
            if pause.began_at < notice.created_at < pause.ended_at:
                yield f"{turn}: reminded at {notice.created_at}, while the rally was paused"
    for turn in turns:
        if turn.missed and turn.remind_at is not None:
            yield f"{turn}: missed without a reminder of {turn.deadline}"
        if turn.missed and turn.reminded_of is not None and not reminded[subject_of(turn, turn.given), Channel.MAIL]:
            yield f"{turn}: the reminder of {turn.reminded_of} is lost"
    for (subject, channel), times in reminded.items():
        if times > 1:
            yield f"{ends[subject]}: {times} reminders of {subject} by {channel}"


def _letters(copies: Mapping[str, int], *, over: bool) -> Iterator[str]:
    """Check that each notice is finished, and that as many letters, pushes and posts arrived as were sent. A copy that
    the receiver can recognise may arrive twice when the sender was killed.
    """
    ended = (Status.SENT, Status.DROPPED)
    unsettled = Notice.objects.exclude(status__in=ended)
    if not over:  # the others are not due yet
        unsettled = unsettled.exclude(status=Status.QUEUED, next_try_at__gt=clock.now())
    for notice in unsettled:
        yield f"{notice} is still {notice.status}, next try {notice.next_try_at}: {notice.error}"
    for notice in Notice.objects.all():
        arrived = copies.get(str(notice.pk), 0)
        if notice.status == Status.SENT and arrived == 0:
            yield f"{notice} by {notice.channel} counts as sent at {notice.sent_at}, nothing arrived"
        if arrived > 1 and not (notice.attempts > 1 and _recognises_copies(notice)):
            yield f"{notice} by {notice.channel} arrived {arrived} times"
        if notice.status == Status.DROPPED and arrived and notice.handed_over_at is None:
            yield f"{notice} by {notice.channel} was withdrawn, and arrived"


def _recognises_copies(notice: Notice) -> bool:
    """Return whether the receiver can recognise a copy: a browser replaces the first one, plain JSON has a number."""
    hook = webhook_of(notice)
    plain = hook is not None and hook.shape == Webhook.Shape.JSON
    return notice.channel == Channel.PUSH or (notice.channel == Channel.WEBHOOK and plain)


def settle(copies: Mapping[str, int]) -> int:
    """Do what an operator does about letters and posts with unknown outcome: look into the log of the mail server,
    close those that arrived, send the others again. Return how many there were.
    """
    unsure = [str(pk) for pk in Notice.objects.filter(status=Status.UNSURE).values_list("pk", flat=True)]
    drop_undelivered(ids=[number for number in unsure if number in copies])
    retry_undelivered(ids=[number for number in unsure if number not in copies])
    return len(unsure)


def tally(copies: Mapping[str, int]) -> dict[str, object]:
    """Return the season in numbers."""
    notices = Counter(Notice.objects.values_list("channel", "status"))
    plans = Counter(SentAhead.objects.values_list("state", flat=True))
    ended: datetime | None = Turn.objects.aggregate(last=Max("ended_at"))["last"]
    return {
        "runs": Run.objects.count(),
        "turns": Turn.objects.count(),
        "missed": Turn.objects.filter(missed=True).count(),
        "reminders by mail": Notice.objects.filter(kind="turn closes soon", channel=Channel.MAIL).count(),
        "what became of plans sent ahead": dict(sorted(plans.items())),
        "last turn": ended.isoformat() if ended else None,
        "notices": {f"{channel}: {status}": times for (channel, status), times in sorted(notices.items())},
        "copies that receivers could tell": sum(times - 1 for times in copies.values() if times > 1),
    }
