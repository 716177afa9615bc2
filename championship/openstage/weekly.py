"""What the sweep does for open stages at set times: it closes the one whose time is over and opens that of the week.

It sweeps after an outage has been excused, so that a stage that closed in the outage stays open for as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from championship.deadlines.services.sweeping import without_unexcused
from championship.openstage import services
from championship.openstage.models import Week
from championship.rallies.control.services.control_deadlines import TimeControls


class Closings:
    """The scheduled action that closes open stages. Its ids are keys of `Week`."""

    name = "closings of open stages"

    def due(self, now: datetime) -> Sequence[int]:
        """Weeks whose stage has to close. A stage that an outage affected closes after it was excused."""
        weeks = without_unexcused(services.weeks_to_close(now=now), TimeControls.name, "rally")
        return list(weeks.values_list("pk", flat=True))

    def act(self, row_id: int, now: datetime) -> bool:
        """Close the stage of one week."""
        week = Week.objects.filter(pk=row_id).first()
        return week is not None and services.close(week=week, now=now)


class Openings:
    """The scheduled action that opens the stage of this week. Its id is the ordinal of the Monday."""

    name = "openings of open stages"

    def due(self, now: datetime) -> Sequence[int]:
        """This week, if its stage has to open."""
        monday = services.week_to_open(now=now)
        return [] if monday is None else [monday.toordinal()]

    def act(self, row_id: int, now: datetime) -> bool:
        """Open the stage of this week. Does nothing when the week is over."""
        due = services.week_to_open(now=now) == date.fromordinal(row_id)
        return due and services.open_due(now=now) is not None
