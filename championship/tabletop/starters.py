"""Which cars drive at the table: on a stage, and at which table."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import F, QuerySet

from championship.rallies.models import Entry, Rally, SpecialStage

OPEN = (SpecialStage.Status.RUNNING, SpecialStage.Status.TIME_CONTROL)


def may_mix(rally: Rally, stages: Iterable[SpecialStage]) -> bool:
    """Whether single cars may drive at the table while others drive runs: only where every car drives alone."""
    modes = {stage.driven_as for stage in stages}
    return Rally.Mode.OPEN_ROAD in modes and Rally.Mode.CONVOY not in modes


def meets_at_table(rally: Rally, stages: Iterable[SpecialStage]) -> bool:
    """Whether anybody may drive this rally at the table."""
    found = list(stages)
    return any(stage.at_table for stage in found) or may_mix(rally, found)


def starters_of(stage: SpecialStage) -> QuerySet[Entry]:
    """The entries that drive a stage at the table, in starting order, with their drivers. `heat`: the number of the
    heat of each, None without heats.
    """
    found = Entry.objects.filter(start_places__special_stage=stage).select_related("driver", "sign_on__table")
    found = found.annotate(heat=F("start_places__heat"))
    if not stage.at_table:
        found = found.filter(at_table=True)
    return found.order_by("start_places__position")


def open_stage_of(rally: Rally) -> SpecialStage | None:
    """The stage that is on the road or at time control; None when there is none. One query."""
    stage = rally.stages.filter(status__in=OPEN).first()
    if stage is not None:
        stage.rally = rally
    return stage
