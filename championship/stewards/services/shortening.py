"""A stage is struck out: it counts for nothing. Or it is shortened: the results are taken at the last border that all
cars have passed. Where the game knows no borders, or no border was passed by all, it is struck out. A stage on the
road is stopped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies.models import Rally, SpecialStage, StageTime
from championship.rallies.results.selectors import COMPLETE
from championship.rallies.results.services.recording_results import end_stage, settled
from championship.runs.models import Run, Seat
from championship.runs.play.ending_early import lock_running, stop_stage
from championship.runs.watch.gaps import SeatSplits, has_splits, splits_of_each
from championship.stewards.models import Decision


def lock_runs(stage: SpecialStage) -> list[Run]:
    """Lock the runs of a stage that are on the road. Called before the rally is locked, as by every post."""
    return lock_running(stage)


def strike(decision: Decision) -> None:
    """Strike a stage out: its results count for nothing from now on."""
    stage = decision.special_stage
    if stage is None or stage.rally_id != decision.rally_id:
        raise Refused(_("Choose what is struck out."), field="special_stage")
    if stage.status != SpecialStage.Status.DONE:
        raise Refused(_("It is not over yet: it can be struck out when it is."), field="special_stage")
    if stage.struck_at is not None:
        raise Refused(_("It is struck out already."), field="special_stage")
    SpecialStage.objects.filter(pk=stage.pk).update(struck_at=clock.now())


def shorten(decision: Decision, border: int | None, locked: Sequence[Run]) -> None:
    """Shorten the decision's stage to a border, counted from 1; None for the last one that all cars have passed. Cars
    that have retired need not have passed it. `locked`: from `lock_runs`.

    Raises: Refused with the field that is wrong.
    """
    rally, stage = decision.rally, decision.special_stage
    if stage is None or stage.rally_id != rally.pk:
        raise Refused(_("Choose what is shortened."), field="special_stage")
    stage = SpecialStage.objects.get(pk=stage.pk)
    stage.rally = rally
    if stage.struck_at is not None or stage.shortened_to is not None:
        raise Refused(_("It is struck out or shortened already: undo that decision first."), field="special_stage")
    running = stage.status == SpecialStage.Status.RUNNING
    if not running and stage.status not in COMPLETE:
        raise Refused(_("It has not begun."), field="special_stage")
    splits = _splits_on(stage)
    borders = _common(splits)
    if border is not None and border not in borders:
        says = _("Not all cars have passed this split. Give one of: %(borders)s; or leave it empty.")
        raise Refused(says % {"borders": ", ".join(map(str, borders)) or _("none")}, field="amount")
    decision.amount = border or (borders[-1] if borders else None)
    _stop_and_take(rally, stage, splits, border=decision.amount, locked=locked)


def end_at_last_split(*, rally: Rally, stage: SpecialStage, locked: Sequence[Run]) -> int | None:
    """Stop a stage on the road at the end of an evening, as its organisers had stated. Returns the split at which the
    results are taken, the last one that all cars have passed, counted from 1; None where there is none: then the stage
    is struck out. The rally and `locked`, the runs on the road, are locked.

    Raises: Stale when a run has opened since.
    """
    stage = SpecialStage.objects.get(pk=stage.pk)
    stage.rally = rally
    splits = _splits_on(stage)
    borders = _common(splits)
    border = borders[-1] if borders else None
    _stop_and_take(rally, stage, splits, border=border, locked=locked)
    return border


def _stop_and_take(
    rally: Rally, stage: SpecialStage, splits: Mapping[int, SeatSplits], *, border: int | None, locked: Sequence[Run]
) -> None:
    running = stage.status == SpecialStage.Status.RUNNING
    if running:
        retired = {entry for entry, each in splits.items() if each.status == "retired"}
        stop_stage(rally=rally, special_stage=stage, locked=locked, retired=retired)
    if border is None:
        stage.struck_at = clock.now()
    else:
        stage.shortened_to = border
        _take_results(stage, splits, border)
    stage.save(update_fields=["struck_at", "shortened_to"])
    if running:
        end_stage(rally, stage)


def undo_shortening(decision: Decision) -> None:
    """Let the results at the finish count again, if no later decision has struck the stage out.

    Raises: Refused when cars were stopped on the way: they have no other result.
    """
    stage = decision.special_stage
    assert stage is not None
    if stage.times.filter(measure=None, retired=False).exists():
        raise Refused(_("The cars were stopped there and have no other result. Strike it out instead."), field="undoes")
    stage.times.update(at_border=None, short_of_border=False)
    counts = {"struck_at": None} if decision.amount is None else {"shortened_to": None}
    SpecialStage.objects.filter(pk=stage.pk).update(**counts)


def _splits_on(stage: SpecialStage) -> dict[int, SeatSplits]:
    """The splits of all cars by entry id; empty for a game without splits."""
    if stage.rally.on_paper or not has_splits(stage.rally.game):
        return {}
    runs = list(stage.runs.all())
    told = splits_of_each(runs)
    seats = Seat.objects.filter(run__in=runs).values_list("run_id", "name", "entry_id")
    return {entry: told[run].seats[driver] for run, driver, entry in seats}


def _common(splits: Mapping[int, SeatSplits]) -> list[int]:
    """The borders, counted from 1, that all cars have passed which have not retired."""
    going = [each.at for each in splits.values() if each.status != "retired"]
    most = max((len(at) for at in going), default=0)
    return [
        border for border in range(1, most + 1) if all(len(at) >= border and at[border - 1] is not None for at in going)
    ]


def _take_results(stage: SpecialStage, splits: Mapping[int, SeatSplits], border: int) -> None:
    """Write the results at the border. A car that retired before it gets what the game gives a retired car."""
    times = list(stage.times.all())
    as_driven = [(time.measure, time.retired) for time in times]
    for time in times:
        at = splits[time.entry_id].at if time.entry_id in splits else ()
        time.at_border = at[border - 1] if len(at) >= border else None
        time.short_of_border = time.at_border is None
        time.measure, time.retired = time.at_border, time.short_of_border
    for time, found in zip(times, settled(stage.rally, times), strict=True):
        time.at_border = found.measure
    for time, (measure, retired) in zip(times, as_driven, strict=True):
        time.measure, time.retired = measure, retired
    StageTime.objects.bulk_update(times, ["at_border", "short_of_border"])
