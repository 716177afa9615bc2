"""Finish a run in which no seat is left to play: its results go to the rally, with the reasons of cars that retired."""

from __future__ import annotations

from datetime import datetime
from itertools import groupby

from championship.rallies.results.retirement_reasons import RESIGNED, Why
from championship.rallies.services import Finish, record_back_after_stage, record_stage_times
from championship.runs.models import Event, Practice, Run, Seat, Turn
from engine import registry
from engine.contract import Retirements, StageResult, offered


def finish_run(run: Run, *, now: datetime) -> None:
    """Finish a run in which every car has finished or retired: its results go to the rally, and its secret may be
    shown.
    """
    result = registry.get(run.game).result(run.state)
    if result is None:
        raise AssertionError(f"nobody is to play in {run}, yet it is not over")
    run.status, run.finished_at = Run.Status.FINISHED, now
    run.save(update_fields=["status", "finished_at"])
    Practice.objects.filter(rally=run.special_stage.rally_id, ended_at=None).update(ended_at=now)
    entries = {seat.driver: seat.entry for seat in run.seats.select_related("entry__driver")}
    for seat in run.seats.filter(handed_over=Seat.HandedOver.STAGE):
        record_back_after_stage(entry=entries[seat.driver], special_stage=run.special_stage)
    reasons = why_retired(run, result)
    by_codriver = run.turns.exclude(done__in=["", Turn.Done.RETIRED])
    helped = set(by_codriver.values_list("seat__driver", flat=True))
    finishes = [
        Finish(
            entry=entries[one.seat],
            measure=one.measure,
            rank=one.rank,
            retired=one.status == "retired",
            reason=reasons.get(one.seat, ""),
            detail=one.detail,
            car=one.luggage,
            stood_in=one.seat in helped,
        )
        for one in result.seats
    ]
    record_stage_times(special_stage=run.special_stage, finishes=finishes)


def why_retired(run: Run, result: StageResult) -> dict[str, str]:
    """Return the reasons by seat. One query, none when no car has retired.

    Outside practice, a seat that gave up without sending such orders retired for missed deadlines. Where the game
    states reasons in events, a retired seat without a reason could not start.
    """
    retired = {one.seat: one.reason for one in result.seats if one.status == "retired"}
    if not retired:
        return {}
    capability = offered(registry.get(run.game), Retirements)
    reasons, by_the_clock = _reasons_from_events(run, capability) if capability else ({}, _retired_by_the_clock(run))
    practice = run.special_stage.rally.practice

    def why(seat: str, said: str) -> str:
        reason = said or reasons.get(seat) or ("" if capability is None else Why.NOT_STARTED)
        missed = reason in (Why.GAVE_UP, RESIGNED) and seat in by_the_clock and not practice
        return str(Why.MISSED if missed else reason)

    return {seat: why(seat, said) for seat, said in retired.items()}


def _reasons_from_events(run: Run, capability: Retirements) -> tuple[dict[str, str], set[str]]:
    """Return the reasons by seat that events state, and the seats whose orders to retire were not sent by a person."""
    reasons, by_the_clock = dict[str, str](), set[str]()
    told = Event.objects.filter(run=run).order_by("number").values_list("data", "post", "post__by")
    for (_post, by), events in groupby(told, lambda event: event[1:]):
        for driver, reason in capability.retirements([data for data, *_post in events]).items():
            reasons[driver] = reason
            if by is None:
                by_the_clock.add(driver)
    return reasons, by_the_clock


def _retired_by_the_clock(run: Run) -> set[str]:
    """Return the seats that were retired for missed deadlines."""
    return set(run.turns.filter(done=Turn.Done.RETIRED).values_list("seat__driver", flat=True))
