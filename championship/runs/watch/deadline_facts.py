"""Read the facts on which the deadlines of many turns depend."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from championship.deadlines.lifecycle import Facts, facts_of
from championship.rallies.clock.pauses import pauses_of_many
from championship.runs.models import Seat


def facts_for(seats: Iterable[Seat], since: datetime) -> Facts:
    """Return the facts on which deadlines of turns of these seats depend, for turns that began at `since` or later.
    Three queries.
    """
    entries = [seat.entry for seat in seats]
    absences = pauses_of_many({entry.rally_id for entry in entries}, since)
    return facts_of({entry.driver_id for entry in entries}, since, absences)
