"""Why cars retired from a run, as its results, events and posts tell."""

from __future__ import annotations

from itertools import groupby

from championship.rallies.retirement_reasons import RESIGNED, Why
from championship.runs.models import Event, Run, Turn
from engine import registry
from engine.contract import Retirements, StageResult, offered


def why_retired(run: Run, result: StageResult) -> dict[str, str]:
    """The reasons by seat; in one query, and none where everybody is in.

    A seat that gave up without having sent that had missed deadlines, outside practice. Where the game tells reasons by
    events, who has none could not start.
    """
    retired = {one.seat: one.reason for one in result.seats if one.status == "retired"}
    if not retired:
        return {}
    telling = offered(registry.get(run.game), Retirements)
    reasons, by_the_clock = _told(run, telling) if telling else ({}, _retired_by_the_clock(run))
    practice = run.special_stage.rally.practice

    def why(seat: str, said: str) -> str:
        reason = said or reasons.get(seat) or ("" if telling is None else Why.NOT_STARTED)
        missed = reason in (Why.GAVE_UP, RESIGNED) and seat in by_the_clock and not practice
        return str(Why.MISSED if missed else reason)

    return {seat: why(seat, said) for seat, said in retired.items()}


def _told(run: Run, telling: Retirements) -> tuple[dict[str, str], set[str]]:
    """The reasons by seat as events tell them, and the seats whose orders to retire nobody sent."""
    reasons, by_the_clock = dict[str, str](), set[str]()
    told = Event.objects.filter(run=run).order_by("number").values_list("data", "post", "post__by")
    for (_post, by), events in groupby(told, lambda event: event[1:]):
        for driver, reason in telling.retirements([data for data, *_post in events]).items():
            reasons[driver] = reason
            if by is None:
                by_the_clock.add(driver)
    return reasons, by_the_clock


def _retired_by_the_clock(run: Run) -> set[str]:
    """The seats that were retired for missed deadlines."""
    return set(run.turns.filter(done=Turn.Done.RETIRED).values_list("seat__driver", flat=True))
