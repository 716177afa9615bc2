"""What the clock does to rallies: time controls close, stages that close do so later. Time control is a customer of the
sweep.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from championship.deadlines.customers import Outage
from championship.rallies.models import AwaitedCard, SpecialStage
from championship.rallies.services.awaited_cards import CLOSES_SOON, excuse_stage, follow_each, tell
from championship.rallies.services.time_control import close_if_due
from championship.rallies.services.timekeeping import excuse_closing

logger = logging.getLogger(__name__)


class TimeControls:
    """Cards that are missing, as the sweep asks for them."""

    name = "time controls"
    locks = 2

    def rows(self) -> QuerySet[AwaitedCard]:
        """Cards that are missing at time controls whose time runs."""
        return self._all().filter(special_stage__rally__paused_at=None)

    def _all(self) -> QuerySet[AwaitedCard]:
        return AwaitedCard.objects.filter(ended_at=None, special_stage__status=SpecialStage.Status.TIME_CONTROL)

    def due(self, now: datetime) -> QuerySet[AwaitedCard]:
        """Of each time control that has to close one card: the others close with it."""
        earlier = AwaitedCard.objects.filter(
            special_stage=OuterRef("special_stage"), ended_at=None, pk__lt=OuterRef("pk")
        )
        return self.rows().filter(~Exists(earlier), deadline__lte=now)

    def act(self, row_ids: Collection[int], now: datetime) -> int:
        """Close the time controls of these cards, each in a transaction of its own; how many."""
        closed = 0
        for stage_id, rally_id in AwaitedCard.objects.filter(pk__in=row_ids).values_list(
            "special_stage", "special_stage__rally"
        ):
            try:
                closed += close_if_due(stage_id, rally_id, now=now)
            except Exception:
                logger.exception("time control of special stage %s could not be closed", stage_id)
        return closed

    def whole(self, rows: QuerySet[AwaitedCard]) -> QuerySet[AwaitedCard]:
        """The cards with stage, rally and driver."""
        return rows.select_related("special_stage__rally", "entry__driver")

    def remind(self, row: AwaitedCard) -> None:
        """Write that the time control closes soon."""
        tell(row, CLOSES_SOON)

    def follow(self, row_ids: Collection[int], now: datetime) -> None:
        """Let the time controls of these cards follow what has changed."""
        follow_each(AwaitedCard.objects.filter(pk__in=row_ids))

    def excuse(self, outage: Outage) -> int:
        """Let time controls close later that drivers were kept from, and stages that close: how many cards and stages
        that moved.
        """
        moved = excuse_closing(outage)
        kept = outage.kept(self._all())
        found = kept.order_by("special_stage__rally", "special_stage").values_list("special_stage", flat=True)
        for stage_id in list(found.distinct()):
            moved += excuse_stage(stage_id, outage)
        return moved

    def unwaited(self) -> list[str]:
        """Time controls that are open and wait for no card."""
        open_ones = SpecialStage.objects.filter(status=SpecialStage.Status.TIME_CONTROL)
        lost = open_ones.exclude(Exists(AwaitedCard.objects.filter(special_stage=OuterRef("pk"), ended_at=None)))
        return [f"{stage.rally} / {stage}" for stage in lost.select_related("rally")]

    def named(self, row: AwaitedCard) -> str:
        """The rally and the stage."""
        return f"{row.special_stage.rally} / {row.special_stage}"


def close_overdue_time_controls(*, now: datetime) -> int:
    """Close the time controls whose deadline has passed, here and now; how many."""
    controls = TimeControls()
    return controls.act(list(controls.due(now).order_by("deadline").values_list("pk", flat=True)), now)
