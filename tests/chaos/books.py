"""What must be true when a season is over: the books balance, nothing was lost, nothing was done twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from championship.notices import NOTICES_HEADER
from championship.notices.models import Notice, SentMail
from championship.notices.services import let_go, try_again
from championship.rallies.models import Rally, SpecialStage, StageTime
from championship.runs.models import Post, Run, Turn
from championship.runs.services import check_snapshot
from championship.runs.services.waiting import subject_of, subjects_of

Status = Notice.Status


def letters_by_notice() -> Mapping[str, int]:
    """In how many letters of the database's mailbox each notice stands, by its number: they are told together."""
    return Counter(
        number
        for headers in SentMail.objects.values_list("headers", flat=True)
        for number in headers.get(NOTICES_HEADER, "").split()
    )


def faults(*, copies: Mapping[str, int], within: timedelta) -> Iterator[str]:
    """Every line that does not balance, in words. `copies`: how often each notice arrived, by its id."""
    yield from _rallies()
    yield from _turns(within)
    yield from _reminders()
    yield from _letters(copies)
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


def _turns(within: timedelta) -> Iterator[str]:
    for turn in Turn.objects.filter(ended_at=None):
        yield f"{turn} is open although its run is over"
    for turn in Turn.objects.exclude(ended_at=None):
        posts = [post for post in turn.posts.all() if post.by_id is None]
        if turn.missed and turn.ended_at - turn.deadline > within:
            yield f"{turn}: due {turn.deadline}, driven {turn.ended_at}"
        if turn.missed and turn.ended_at < turn.deadline:
            yield f"{turn}: counted as missed before its deadline"
        if turn.missed and not posts:
            yield f"{turn}: missed, yet nobody drove it"
        if not turn.missed and turn.ended_at > turn.deadline + within:
            yield f"{turn}: driven by its driver {turn.ended_at - turn.deadline} late, and nobody minded"
    doubled = Counter(Post.objects.exclude(key="").values_list("run_id", "key"))
    for (run, key), times in doubled.items():
        if times > 1:
            yield f"run {run}: post {key} was played {times} times"


def _reminders() -> Iterator[str]:
    """Who was reminded, when, and of what: of each deadline that a turn was given, once."""
    turns = list(Turn.objects.all())
    ends = {subject: turn for turn in turns for subject in subjects_of(turn)}
    reminded = Counter[str]()
    told: dict[int, object] = {}
    for notice in Notice.objects.filter(kind="turn closes soon").order_by("created_at", "pk"):
        turn = ends[notice.subject_key]
        reminded[notice.subject_key] += 1
        if told.get(turn.pk) == notice.context["deadline"]:
            yield f"{turn}: reminded twice of {notice.context['deadline']}"
        told[turn.pk] = notice.context["deadline"]
        if notice.sent_at and turn.ended_at and notice.sent_at > turn.ended_at:
            yield f"{turn}: reminded at {notice.sent_at}, driven at {turn.ended_at}"
    for turn in turns:
        if turn.missed and turn.remind_at is not None:
            yield f"{turn}: missed without a reminder of {turn.deadline}"
        if turn.missed and turn.reminded_of is not None and not reminded[subject_of(turn, turn.given)]:
            yield f"{turn}: the reminder of {turn.reminded_of} is lost"
        for subject in subjects_of(turn):
            if reminded[subject] > 1:
                yield f"{turn}: {reminded[subject]} reminders of {subject}"


def _letters(copies: Mapping[str, int]) -> Iterator[str]:
    """Each notice has ended, and as many letters went out as were sent."""
    ended = (Status.SENT, Status.DROPPED)
    for notice in Notice.objects.exclude(status__in=ended):
        yield f"{notice} is still {notice.status}, next try {notice.next_try_at}: {notice.error}"
    for notice in Notice.objects.all():
        arrived = copies.get(str(notice.pk), 0)
        if notice.status == Status.SENT and arrived == 0:
            yield f"{notice} counts as sent at {notice.sent_at}, nothing arrived"
        if arrived > 1:
            yield f"{notice} arrived {arrived} times"
        if notice.status == Status.DROPPED and arrived and notice.handed_over_at is None:
            yield f"{notice} was withdrawn, and arrived"


def settle(copies: Mapping[str, int]) -> int:
    """What an operator does about letters of which nobody knows whether the mail server took them: look into its log,
    let go what arrived, send the rest again. How many there were.
    """
    unsure = [str(pk) for pk in Notice.objects.filter(status=Status.UNSURE).values_list("pk", flat=True)]
    let_go(ids=[number for number in unsure if number in copies])
    try_again(ids=[number for number in unsure if number not in copies])
    return len(unsure)


def tally() -> dict[str, object]:
    """The season in numbers."""
    notices = Counter(Notice.objects.values_list("kind", "status"))
    ended: datetime | None = Turn.objects.order_by("-ended_at").values_list("ended_at", flat=True).first()
    return {
        "runs": Run.objects.count(),
        "turns": Turn.objects.count(),
        "missed": Turn.objects.filter(missed=True).count(),
        "last turn": ended.isoformat() if ended else None,
        "notices": {f"{kind}: {status}": times for (kind, status), times in sorted(notices.items())},
    }
