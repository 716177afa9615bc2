"""Stage times come in; when the last of the start list is in, the stage is over (E7, F2, F3)."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from championship.rallies import announcements
from championship.rallies.models import Entry, Rally, SpecialStage, StageTime
from championship.rallies.retiring import REASON
from championship.rallies.services.controlling import open_time_control
from championship.rallies.services.locks import locked_rally, rules_of
from championship.refusals import Refused


@transaction.atomic
def record_stage_time(
    *,
    special_stage: SpecialStage,
    entry: Entry,
    seconds: int | None,
    retired: bool,
    cards_seconds: int,
    car: dict[str, Any],
    why: str = "",
) -> StageTime:
    """An entry has finished the stage or retired from it; called by whoever drives it, in their transaction.

    seconds: the stage time (F2), None for a retired entry. cards_seconds: its time cards so far (E7).
    car: as it stands at the finish. why: the reason of a retirement, one of retiring.Why, where it is known.
    Refused when the stage is not on the road, the entry is not on its start list, or its time is recorded already.
    The last time of the start list ends the stage: time control opens.
    """
    if not retired and seconds is None:
        raise ValueError("a finisher has a time")
    rally = locked_rally(special_stage.rally_id)
    stage = rally.stages.get(pk=special_stage.pk)
    if stage.status != SpecialStage.Status.RUNNING:
        raise Refused(_("Stage %(n)d is not on the road.") % {"n": stage.number})
    if not stage.start_places.filter(entry_id=entry.pk).exists():
        raise Refused(_("%(entry)s is not on the start list of this stage.") % {"entry": entry})
    if stage.times.filter(entry_id=entry.pk).exists():
        raise Refused(_("%(entry)s has a time on this stage already.") % {"entry": entry})
    time = StageTime.objects.create(
        special_stage=stage,
        entry_id=entry.pk,
        seconds=None if retired else seconds,
        retired=retired,
        cards_seconds=cards_seconds,
        car={**car, REASON: why} if why else car,
    )
    if stage.times.count() == stage.start_places.count():
        _end_stage(rally, stage)
        time.refresh_from_db()
    return time


def _end_stage(rally: Rally, stage: SpecialStage) -> None:
    """Retired entries get their times (E7), cars leave the stage or the service park (F3), time control opens."""
    rules = rules_of(rally)
    times = list(stage.times.select_related("entry"))
    finished = [time.seconds for time in times if time.seconds is not None]
    retired = [time for time in times if time.retired]
    for time in retired:
        time.seconds = rules.retirement_seconds(finished, time.cards_seconds)
    StageTime.objects.bulk_update(retired, ["seconds"])
    for time in times:
        time.entry.car = rules.car_after_stage(
            time.car, service=stage.service, retired=time.retired, options=rally.options
        )
    Entry.objects.bulk_update([time.entry for time in times], ["car"])
    announcements.times_are_in(rally, stage)
    open_time_control(rally, stage)
