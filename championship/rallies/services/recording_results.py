"""Results of stages come in; when the last of the start list is in, the stage is over (E7, F2, F3)."""

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
    """An entry has finished the stage or retired from it; called by the code that drives it, in its transaction.

    measure: the result (F2) in the rally's unit, None for an entry that has none, or none yet. rank: its order among
    equal results. car: what it takes along, as it stands at the finish. reason: that of a retirement, a word of the
    game, where it is known. stood_in: the codriver made turns of it for its driver. detail: what the game wants back
    when all are in (E7).
    Refused when the stage is not on the road, the entry is not on its start list, or its result is recorded already.
    The last result of the start list ends the stage: time control opens. An open stage waits for its closing time:
    others may still come onto it.

    Raises:
        ValueError: no stage can have that result.
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
    """The game settles what was open (E7), cars leave the stage or the service park (F3), time control opens. The
    rally is locked.
    """
    times = list(stage.times.select_related("entry"))
    for time, found in zip(times, settled(rally, times), strict=True):
        time.measure, time.rank = found.measure, list(found.rank)
    StageTime.objects.bulk_update(times, ["measure", "rank"])
    for time in times:
        time.entry.car = career.after_stage(rally, stage, time.car, retired=time.retired)
    Entry.objects.bulk_update([time.entry for time in times], ["car"])
    announcements.times_are_in(rally, stage)
    organiser_notices.stage_is_in(rally, stage)
    open_time_control(rally, stage)
