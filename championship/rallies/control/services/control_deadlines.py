"""What the sweep does to rallies: it closes time controls at their deadline, and after an outage it moves the deadlines
of time controls and of stages with a closing time. Time control is a customer of the sweep.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from functools import partial

from django.db.models import Exists, OuterRef, QuerySet

from championship.deadlines.customers import Outage
from championship.deadlines.services.sweeping import acts_of
from championship.rallies.clock.services.timekeeping import affected_closings, excuse_closing
from championship.rallies.control.services.awaited_cards import (
    CLOSES_SOON,
    excuse_stage,
    follow_each,
    notify_driver,
)
from championship.rallies.control.services.time_control import close_if_due
from championship.rallies.models import AwaitedCard, SpecialStage


class TimeControls:
    """The sweep's customer for missing time-control cards."""

    name = "time controls"
    locks = 2
    unit = "special_stage__rally"

    def rows(self) -> QuerySet[AwaitedCard]:
        """The missing cards of all time controls in rallies that are not paused."""
        return self._all().filter(special_stage__rally__paused_at=None)

    def _all(self) -> QuerySet[AwaitedCard]:
        return AwaitedCard.objects.filter(ended_at=None, special_stage__status=SpecialStage.Status.TIME_CONTROL)

    def brisk(self, rows: QuerySet[AwaitedCard]) -> QuerySet[AwaitedCard]:
        """The cards among these of rallies that are driven at the pace of an evening."""
        return rows.filter(special_stage__rally__evening_since__isnull=False)

    def due(self, now: datetime) -> QuerySet[AwaitedCard]:
        """One missing card of each time control that has to close. Closing it handles the other cards too."""
        earlier = AwaitedCard.objects.filter(
            special_stage=OuterRef("special_stage"), ended_at=None, pk__lt=OuterRef("pk")
        )
        return self.rows().filter(~Exists(earlier), deadline__lte=now)

    def act(self, row_ids: Collection[int], now: datetime) -> int:
        """Close the time controls of these cards, each in its own transaction. Returns how many it closed."""
        closed, tries = 0, acts_of(self.name, now)
        cards = AwaitedCard.objects.filter(pk__in=row_ids)
        for card_id, stage_id, rally_id in cards.values_list("pk", "special_stage", "special_stage__rally"):
            closed += tries.attempt(card_id, partial(close_if_due, stage_id, rally_id, now=now)) or 0
        return closed

    def with_related(self, rows: QuerySet[AwaitedCard]) -> QuerySet[AwaitedCard]:
        """The cards with stage, rally and driver."""
        return rows.select_related("special_stage__rally", "entry__driver")

    def remind(self, row: AwaitedCard) -> None:
        """Send the driver a reminder that the time control closes soon."""
        notify_driver(row, CLOSES_SOON)

    def follow(self, row_ids: Collection[int], now: datetime) -> None:
        """Update the deadlines of the time controls of these cards."""
        follow_each(AwaitedCard.objects.filter(pk__in=row_ids))

    def affected(self, outage: Outage) -> list[int]:
        """The rallies with stages and time controls that the outage affects."""
        closing = [] if outage.brisk else affected_closings(outage).values_list("rally_id", flat=True)
        waiting = outage.affected(self.brisk(self._all()) if outage.brisk else self._all()).values_list(
            "special_stage__rally_id", flat=True
        )
        return sorted({*closing, *waiting})

    def excuse(self, unit: int, outage: Outage) -> int:
        """Move the closing time of the stages and time controls of one rally. Returns how many cards and stages it
        moved.
        """
        moved = excuse_closing(unit, outage)
        affected = outage.affected(self._all()).filter(special_stage__rally=unit)
        found = affected.order_by("special_stage").values_list("special_stage", flat=True)
        for stage_id in list(found.distinct()):
            moved += excuse_stage(stage_id, outage)
        return moved

    def stuck_texts(self) -> list[str]:
        """Time controls that are open and wait for no card."""
        open_ones = SpecialStage.objects.filter(status=SpecialStage.Status.TIME_CONTROL)
        lost = open_ones.exclude(Exists(AwaitedCard.objects.filter(special_stage=OuterRef("pk"), ended_at=None)))
        return [f"{stage.rally} / {stage}" for stage in lost.select_related("rally")]

    def overdue_text(self, row: AwaitedCard) -> str:
        """The rally and the stage."""
        return f"{row.special_stage.rally} / {row.special_stage}"


def close_overdue_time_controls(*, now: datetime) -> int:
    """Close the time controls whose deadline has passed, in this process. Returns how many it closed."""
    controls = TimeControls()
    return controls.act(list(controls.due(now).order_by("deadline").values_list("pk", flat=True)), now)
