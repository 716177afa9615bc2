"""What the clock does when a driver misses the deadline of a turn, by the rules of the rally."""

from __future__ import annotations

from django.db.models import Max

from championship.rallies.entries.driver_changes import REPLACED
from championship.rallies.models import CrewChange, Rally
from championship.runs.models import Turn


def what_a_miss_does(rally: Rally, turn: Turn) -> str:
    """Return what the clock does (`Turn.Done`) when the deadline of this turn is missed. Two queries at most.

    A car retires after `retire_after` misses, but never at the first. The count starts again at zero after each
    retirement, and for a new driver of the car. On an open stage the codriver drives for nobody: a car that has not
    finished when the stage closes retires.
    """
    if rally.for_everybody:
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
