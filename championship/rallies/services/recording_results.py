"""Recording the results of stages. The last result of the start list ends the stage (E7, F2, F3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from championship.rallies import announcements, career, measures, organiser_notices
from championship.rallies.models import Entry, Rally, SpecialStage, StageTime
from championship.rallies.services.locks import locked_rally
from championship.rallies.services.time_control import open_time_control
from championship.rallies.settling import settled
from championship.refusals import Refused


@transaction.atomic
def record_stage_time(
    *,
    special_stage: SpecialStage,
    entry: Entry,
    measure: int | None,
    retired: bool,
    car: Any,
    rank: Sequence[int] = (),
    reason: str = "",
    detail: Any = None,
    stood_in: bool = False,
) -> StageTime:
    """Record that an entry has finished the stage or retired from it. The code of runs calls this in its transaction.

    The last result of the start list ends the stage and opens time control. An open stage waits for its closing time
    instead, because more cars may start.

    measure: the result (F2) in the rally's unit; None for an entry that has none, or none yet. rank: its order among
    equal results. car: its luggage at the finish. reason: the reason of a retirement, a word of the game, if known.
    detail: data that the game needs when all results are in (E7). stood_in: the codriver drove turns for the driver.

    Raises: Refused when the stage is not on the road, when the entry is not on its start list, or when its result is
    recorded already.
    Raises: ValueError when no stage can have that result.
    """
    rally = locked_rally(special_stage.rally_id)
    if measure is not None and not measures.fits_a_stage(measure, rally.measure):
        raise ValueError(f"{measure} is no result in {rally.unit}")
    stage = rally.stages.get(pk=special_stage.pk)
    if stage.status != SpecialStage.Status.RUNNING:
        raise Refused(_("%(stage)s is not on the road.") % {"stage": rally.stage_called(stage.number)})
    if not stage.start_places.filter(entry_id=entry.pk).exists():
        raise Refused(_("%(entry)s is not on the start list.") % {"entry": entry})
    if stage.times.filter(entry_id=entry.pk).exists():
        raise Refused(_("%(entry)s has a result already.") % {"entry": entry})
    time = StageTime.objects.create(
        special_stage=stage,
        entry_id=entry.pk,
        measure=measure,
        rank=list(rank),
        retired=retired,
        reason=reason if retired else "",
        detail={} if detail is None else detail,
        car=car,
        stood_in=stood_in,
    )
    if not rally.for_everybody and stage.times.count() == stage.start_places.count():
        end_stage(rally, stage)
        time.refresh_from_db()
    return time


def end_stage(rally: Rally, stage: SpecialStage) -> None:
    """End a stage: the game settles results that are open (E7), cars go to the service park (F3), and time control
    opens. The rally is locked.
    """
    times = list(stage.times.select_related("entry"))
    for time, found in zip(times, settled(rally, times), strict=True):
        time.measure, time.rank = found.measure, list(found.rank)
    StageTime.objects.bulk_update(times, ["measure", "rank"])
    for time in times:
        time.entry.car = career.after_stage(rally, stage, time.car, retired=time.retired)
    Entry.objects.bulk_update([time.entry for time in times], ["car"])
    announcements.announce_stage_results(rally, stage)
    organiser_notices.notify_stage_complete(rally, stage)
    open_time_control(rally, stage)
