"""What the times of turns depend on, read at once for many of them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from championship.deadlines.lifecycle import Facts, facts_of
from championship.rallies.pauses import pauses_of_many
from championship.runs.models import Seat


def facts_for(seats: Iterable[Seat], since: datetime) -> Facts:
    """What the times depend on of turns of these seats that began at a moment or later, in three queries."""
    entries = [seat.entry for seat in seats]
    absences = pauses_of_many({entry.rally_id for entry in entries}, since)
    return facts_of({entry.driver_id for entry in entries}, since, absences)
