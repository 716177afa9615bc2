"""Recording the results of stages. The last result of the start list ends the stage (E7, F2, F3), and the game settles
its results, such as the time of a retired car. A driver's result is marked when they have seen it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies.control import career
from championship.rallies.control.services.time_control import open_time_control
from championship.rallies.desk import announcements, organiser_notices
from championship.rallies.locks import locked_rally
from championship.rallies.models import Entry, Rally, SpecialStage, StageTime
from championship.rallies.results import measures
from engine import registry
from engine.contract import SeatResult, Settling, offered


@dataclass(frozen=True, slots=True)
class Finish:
    """How an entry ended a stage.

    measure: the result (F2) in the rally's unit; None for an entry that has none, or none yet. rank: its order among
    equal results. car: its luggage at the finish. reason: the reason of a retirement, a word of the game, if known.
    detail: data that the game needs when all results are in (E7). stood_in: the codriver drove turns for the driver.
    feats: what the entry did best, as the game says. at_table: it drove with the printed game.
    """

    entry: Entry
    measure: int | None
    retired: bool
    car: Any
    rank: Sequence[int] = ()
    reason: str = ""
    detail: Any = None
    stood_in: bool = False
    feats: Sequence[str] = ()
    at_table: bool = False


def record_stage_time(*, special_stage: SpecialStage, **finish: Any) -> StageTime:
    """Record how one entry ended the stage, by the fields of `Finish`. Returns its row.

    Raises: the same as record_stage_times.
    """
    [time] = record_stage_times(special_stage=special_stage, finishes=[Finish(**finish)])
    return time


@transaction.atomic
def record_stage_times(*, special_stage: SpecialStage, finishes: Sequence[Finish]) -> list[StageTime]:
    """Record that entries have finished the stage or retired from it. The code of runs calls this in its transaction.
    As many queries for many entries as for one.

    The last result of the start list ends the stage and opens time control. An open stage waits for its closing time
    instead, because more cars may start. It takes the results of cars that could not be retired then also after it has
    closed; they change no other result.

    Raises: Refused when the stage is not on the road, when an entry is not on its start list, or when its result is
    recorded already.
    Raises: ValueError when no stage can have such a result.
    """
    rally = locked_rally(special_stage.rally_id)
    for finish in finishes:
        if finish.measure is not None and not measures.fits_a_stage(finish.measure, rally.measure):
            raise ValueError(f"{finish.measure} is no result in {rally.unit}")
    stage = rally.stages.get(pk=special_stage.pk)
    late = rally.for_everybody and stage.status == SpecialStage.Status.DONE
    if stage.status != SpecialStage.Status.RUNNING and not late:
        raise Refused(_("%(stage)s is not on the road.") % {"stage": rally.stage_called(stage.number)})
    starters = set(stage.start_places.values_list("entry_id", flat=True))
    recorded = set(stage.times.values_list("entry_id", flat=True))
    for finish in finishes:
        if finish.entry.pk not in starters:
            raise Refused(_("%(entry)s is not on the start list.") % {"entry": finish.entry})
        if finish.entry.pk in recorded:
            raise Refused(_("%(entry)s has a result already.") % {"entry": finish.entry})
        recorded.add(finish.entry.pk)
    times = StageTime.objects.bulk_create(_time(stage, finish) for finish in finishes)
    if late:
        _settle(rally, stage, only={time.pk for time in times})
    elif not rally.for_everybody and recorded == starters:
        end_stage(rally, stage)
    else:
        return times
    fresh = StageTime.objects.in_bulk([time.pk for time in times])
    return [fresh[time.pk] for time in times]


def _time(stage: SpecialStage, finish: Finish) -> StageTime:
    return StageTime(
        special_stage=stage,
        entry_id=finish.entry.pk,
        measure=finish.measure,
        rank=list(finish.rank),
        retired=finish.retired,
        reason=finish.reason if finish.retired else "",
        detail={} if finish.detail is None else finish.detail,
        car=finish.car,
        stood_in=finish.stood_in,
        feats=list(finish.feats),
        at_table=finish.at_table,
    )


@transaction.atomic
def correct_time_at_table(*, special_stage: SpecialStage, finish: Finish) -> StageTime:
    """Replace the recorded result of an entry that drove at the table. On a stage that has ended the game settles the
    results again (E7). The car, its time control and later start lists stay as they are. The caller keeps the trace.

    Raises: Refused when the entry has no result that was entered by hand.
    Raises: ValueError when no stage can have such a result.
    """
    rally = locked_rally(special_stage.rally_id)
    if finish.measure is not None and not measures.fits_a_stage(finish.measure, rally.measure):
        raise ValueError(f"{finish.measure} is no result in {rally.unit}")
    stage = rally.stages.get(pk=special_stage.pk)
    time = stage.times.filter(entry=finish.entry, at_table=True).first()
    if time is None:
        raise Refused(_("%(entry)s has no result to correct.") % {"entry": finish.entry})
    fresh = _time(stage, finish)
    time.measure, time.rank, time.retired = fresh.measure, fresh.rank, fresh.retired
    time.reason, time.detail, time.recorded_at = fresh.reason, fresh.detail, clock.now()
    time.save(update_fields=["measure", "rank", "retired", "reason", "detail", "recorded_at"])
    if stage.status in (SpecialStage.Status.TIME_CONTROL, SpecialStage.Status.DONE):
        _settle(rally, stage)
    return time


def end_stage(rally: Rally, stage: SpecialStage) -> None:
    """End a stage: the game settles results that are open (E7), cars go to the service park (F3), and time control
    opens. The rally is locked.
    """
    times = _settle(rally, stage)
    for time in times:
        time.entry.car = career.after_stage(rally, stage, time.car, retired=time.retired)
    Entry.objects.bulk_update([time.entry for time in times], ["car"])
    announcements.announce_stage_results(rally, stage)
    organiser_notices.notify_stage_complete(rally, stage)
    open_time_control(rally, stage)


def _settle(rally: Rally, stage: SpecialStage, *, only: Collection[int] | None = None) -> list[StageTime]:
    """Let the game settle the results of a stage (E7), those with the keys in `only` or all. Returns all results."""
    times = list(stage.times.select_related("entry"))
    open_ones = []
    for time, found in zip(times, settled(rally, times), strict=True):
        if only is None or time.pk in only:
            time.measure, time.rank = found.measure, list(found.rank)
            open_ones.append(time)
    StageTime.objects.bulk_update(open_ones, ["measure", "rank"])
    return times


def mark_result_seen(*, by: User, rally: Rally) -> bool:
    """Mark the driver's result in a rally that is over as seen. Calling it again changes nothing.

    Returns False when the person has no confirmed entry in the rally, or when the rally is not over.
    """
    if rally.status != Rally.Status.FINISHED:
        return False
    own = Entry.objects.filter(rally=rally, driver=by, status=Entry.Status.CONFIRMED)
    own.filter(result_seen_at=None).update(result_seen_at=clock.now())
    return own.exists()


def settled(rally: Rally, times: Sequence[StageTime]) -> tuple[SeatResult, ...]:
    """The settled results of a stage whose runs are all over, in the same order. Calls the game once."""
    results = tuple(_result(time) for time in times)
    settling = offered(registry.get(rally.game), Settling)
    return results if settling is None else settling.settle(results)


def _result(time: StageTime) -> SeatResult:
    """A recorded result as the engine's type."""
    return SeatResult(
        seat=str(time.entry_id),
        measure=time.measure,
        rank=tuple(time.rank),
        status="retired" if time.retired else "finished",
        reason=time.reason,
        luggage=time.car,
        detail=time.detail,
    )
