"""The luggage of cars from stage to stage, by the game's capability `Career`. Without it there is no luggage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Count, Q

from championship.rallies.models import Entry, Rally, SpecialStage, StageTime
from championship.rallies.results.measures import worse
from engine import registry
from engine.contract import Career, Column, Decision, Json, Luggage, Newcomers, offered


def _career(rally: Rally) -> Career | None:
    return offered(registry.get(rally.game), Career)


def new_car(rally: Rally, *, finished: int = 0, newcomer: str = "") -> Luggage | None:
    """The luggage of a car before the first stage; None when the game has no luggage. `finished` is how many stages of
    the game its driver has finished, which counts where the rally asks for newcomers. `newcomer`: what organisers have
    said of the driver, `Entry.newcomer`; then the stages do not matter.
    """
    career, newcomers = _career(rally), offered(registry.get(rally.game), Newcomers)
    if career is None:
        return None
    limit = newcomers.newcomer_limit(rally.all_options) if newcomers is not None else 0
    knows = newcomer == Entry.Newcomer.NO or (newcomer != Entry.Newcomer.YES and limit <= finished)
    if newcomers is not None and limit and knows:
        return newcomers.luggage_of_others(rally.all_options)
    return career.new_luggage(rally.all_options)


def finished_stages(rally: Rally, drivers: Sequence[int]) -> Mapping[int, int]:
    """How many stages of the rally's game these drivers have finished, by the key of the person: in all rallies that
    were driven here, without practice. One query; none and nothing where the rally does not ask for newcomers.
    """
    newcomers = offered(registry.get(rally.game), Newcomers)
    if newcomers is None or not newcomers.newcomer_limit(rally.all_options):
        return {}
    times = StageTime.objects.filter(
        entry__driver__in=drivers, retired=False, measure__isnull=False, entry__rally__game=rally.game
    ).exclude(Q(entry__rally__practice=True) | Q(entry__rally=rally.pk))
    counted = times.values("entry__driver").annotate(stages=Count("pk"))
    return dict(counted.values_list("entry__driver", "stages"))


def in_rally(rally: Rally, course: Json, *, last: bool) -> Json:
    """The course in the form in which this rally drives it. `last`: no other stage follows."""
    career = _career(rally)
    return course if career is None else career.in_rally(course, last=last)


def after_stage(rally: Rally, stage: SpecialStage, car: Luggage, *, retired: bool) -> Luggage | None:
    """The car's luggage after the stage, and after the service park when there is one (F3)."""
    career = _career(rally)
    if career is None:
        return None
    return career.after_stage(car, service=stage.service, retired=retired, options=rally.all_options)


def decisions(rally: Rally, stage: SpecialStage, car: Luggage | None, *, last: bool) -> tuple[Decision, ...]:
    """The decisions that the driver can make at the time control after the stage; empty when there are none."""
    career = _career(rally)
    if career is None or car is None:
        return ()
    return career.decisions(car, service=stage.service, options=rally.all_options, last_stage=last)


def decide(
    rally: Rally, stage: SpecialStage, car: Luggage | None, decision: Mapping[str, Json], *, last: bool
) -> tuple[Luggage | None, int]:
    """The car's luggage after a decision, and the cost of the decision in the game's unit.

    Raises: RuleError when the rules do not allow the decision.
    """
    career = _career(rally)
    if career is None or car is None:
        return car, 0
    return career.decide(car, decision, service=stage.service, options=rally.all_options, last_stage=last)


def starting_order(rally: Rally, totals: Mapping[str, int], last: Mapping[str, int], lots: Sequence[str]) -> list[str]:
    """The starting order of a later stage. Without an order by the game: best total first, then the last stage's
    result, then `lots` (the seats in random order).
    """
    career = _career(rally)
    if career is not None:
        return career.starting_order(totals, last, lots)
    sign = worse(rally.measure)
    return sorted(totals, key=lambda seat: (sign * totals[seat], sign * last[seat], lots.index(seat)))


def sheet_columns(rally: Rally) -> tuple[Column, ...]:
    """The columns of the rally sheet about a car, besides measure and place."""
    career = _career(rally)
    return () if career is None else career.sheet_columns


def sheet_row(rally: Rally, car: Luggage | None) -> dict[str, Any]:
    """The values of this car in the rally sheet, by column key."""
    career = _career(rally)
    return {} if career is None or car is None else career.sheet_row(car)
