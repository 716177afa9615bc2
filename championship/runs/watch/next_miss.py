"""What the clock does when a driver misses the deadline of a turn, by the rules of the rally."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from django.db.models import Max

from championship.rallies.clock.evening_rules import Dropped
from championship.rallies.entries.driver_changes import REPLACED
from championship.rallies.models import CrewChange, Rally
from championship.runs.models import Turn


def drops_out(rally: Rally, turn: Turn) -> bool:
    """Return whether a miss of this turn makes its driver drop out, by the rules of an evening. Two queries at most,
    none outside an evening or without such a rule.
    """
    rules = rally.rules_of_evening
    if rally.evening_since is None or not rules.drop_after:
        return False
    missed = _missed_in_evening(rally, turn.seat.entry_id)
    return rules.drops(1 + _in_a_row(missed))


def has_dropped_out(rally: Rally, entry_id: int) -> bool:
    """Return whether the last turns that a driver has missed make them drop out, whatever the codriver drove since. Two
    queries at most.
    """
    rules = rally.rules_of_evening
    if rally.evening_since is None or not rules.drop_after:
        return False
    missed = _missed_in_evening(rally, entry_id)
    while missed and not missed[-1]:
        missed.pop()
    return rules.drops(_in_a_row(missed))


def _missed_in_evening(rally: Rally, entry_id: int) -> list[bool]:
    """Return of each turn of a car whether it was missed, since the evening began and since its present driver drives
    it, the oldest first.
    """
    replaced = CrewChange.objects.filter(REPLACED, entry=entry_id).aggregate(last=Max("at"))["last"]
    since = max(moment for moment in (rally.evening_since, replaced) if moment is not None)
    ended = Turn.objects.filter(seat__entry=entry_id, ended_at__gte=since).order_by("ended_at", "pk")
    return list(ended.values_list("missed", flat=True))


def _in_a_row(missed: Sequence[bool]) -> int:
    """Return how many turns at the end were missed."""
    return len(list(takewhile(bool, reversed(missed))))


def what_a_miss_does(rally: Rally, turn: Turn) -> str:
    """Return what the clock does (`Turn.Done`) when the deadline of this turn is missed. Four queries at most.

    A car retires after `retire_after` misses, but never at the first. The count starts again at zero after each
    retirement, and for a new driver of the car. On an open stage the codriver drives for nobody: a car that has not
    finished when the stage closes retires.
    """
    if rally.for_everybody:
        return Turn.Done.RETIRED
    if rally.rules_of_evening.dropped == Dropped.OUT and drops_out(rally, turn):
        return Turn.Done.RETIRED
    if rally.retire_after > 1:
        missed = Turn.objects.filter(seat__entry=turn.seat.entry_id, missed=True)
        replaced = CrewChange.objects.filter(REPLACED, entry=turn.seat.entry_id).aggregate(last=Max("at"))["last"]
        if replaced is not None:
            missed = missed.filter(ended_at__gt=replaced)
        retired = missed.filter(done=Turn.Done.RETIRED).order_by("-pk").values_list("pk", flat=True).first()
        if missed.filter(pk__gt=retired or 0).count() + 1 >= rally.retire_after:
            return Turn.Done.RETIRED
    return Turn.Done.PENALISED if rally.miss_penalty else Turn.Done.DRIVEN
