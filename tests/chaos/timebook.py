"""Checks times: how much time each driver had, and when deadlines were acted on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime, timedelta

from championship.rallies.models import Rally, SpecialStage
from championship.runs.models import Post, Run, Turn

Span = tuple[datetime, datetime]


def turns_driven(within: timedelta, dark: Collection[Span]) -> Iterator[str]:
    """Check that each turn ended once, by its driver before the deadline, or by the clock `within` of it. Dark times
    and pauses of the rally do not count.
    """
    for turn in Turn.objects.filter(ended_at=None).exclude(run__status=Run.Status.RUNNING):
        yield f"{turn} is open although its run is over"
    ended = Turn.objects.exclude(ended_at=None).select_related("run__special_stage__rally", "seat__entry")
    for turn in ended.prefetch_related("posts", "run__special_stage__rally__pauses"):
        rally = turn.run.special_stage.rally
        pauses = [(pause.began_at, pause.ended_at) for pause in rally.pauses.all()]
        posts = [post for post in turn.posts.all() if post.by_id is None]
        late = turn.ended_at - turn.deadline - _overlap(turn.deadline, turn.ended_at, [*dark, *pauses])
        if late > within:
            yield f"{turn}: due {turn.deadline}, ended {turn.ended_at} {_by_whom(turn)}"
        if turn.missed and not posts:
            yield f"{turn}: missed, yet nobody drove it"
        if turn.missed:
            yield from _missed(turn, rally, pauses)
    doubled = Counter(Post.objects.exclude(key="").values_list("run_id", "key"))
    for (run, key), times in doubled.items():
        if times > 1:
            yield f"run {run}: post {key} was played {times} times"


def _missed(turn: Turn, rally: Rally, pauses: Iterable[Span]) -> Iterator[str]:
    """Check that no deadline was missed too early, in a pause, or before the hours of the rally had passed."""
    if turn.ended_at < turn.deadline:
        yield f"{turn}: counted as missed before its deadline"
    if any(began < turn.ended_at < end for began, end in pauses):
        yield f"{turn}: driven for its driver at {turn.ended_at}, while the rally was paused"
    if rally.pace == Rally.Pace.CLOSING and turn.deadline < turn.run.special_stage.closes_at:
        yield f"{turn}: missed at {turn.deadline}, its stage closed at {turn.run.special_stage.closes_at}"
    if rally.pace == Rally.Pace.TURN:
        given = timedelta(hours=min(24, rally.turn_hours))
        had = turn.ended_at - turn.since - _overlap(turn.since, turn.ended_at, pauses)
        if had < given:
            yield f"{turn}: missed after {had}, the rally gives {given}"


def stages_closed(within: timedelta, dark: Collection[Span]) -> Iterator[str]:
    """Check that each time control closed with the last card, or `within` of its deadline."""
    stages = SpecialStage.objects.exclude(control_deadline=None).exclude(closed_at=None).select_related("rally")
    for stage in stages.prefetch_related("rally__pauses", "cards"):
        pauses = [(pause.began_at, pause.ended_at) for pause in stage.rally.pauses.all()]
        late = stage.closed_at - stage.control_deadline
        late -= _overlap(stage.control_deadline, stage.closed_at, [*dark, *pauses])
        if late > within:
            yield f"{stage} of {stage.rally}: its time control was due {stage.control_deadline}, closed {late} late"
        if stage.closed_at < stage.control_deadline and any(
            card.by_id is None and card.entry.driven_by == "person" for card in stage.cards.all()
        ):
            yield f"{stage} of {stage.rally}: its time control closed before its deadline, and cards were missing"


def _by_whom(turn: Turn) -> str:
    by = {post.by_id for post in turn.posts.all()}
    if turn.missed:
        return "for its driver, who missed it"
    return "by the codriver" if by == {None} else "by its driver, and nobody minded"


def _overlap(since: datetime, until: datetime, spans: Iterable[Span]) -> timedelta:
    """Return how much of the time between two moments is in these spans, which do not overlap."""
    inside = (min(until, end) - max(since, start) for start, end in spans)
    return sum((span for span in inside if span > timedelta()), timedelta())
