"""What cars bring from stage to stage, asked of the rally's game; nothing where the game has no such thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from championship.rallies.measures import worse
from championship.rallies.models import Rally, SpecialStage
from engine import registry
from engine.contract import Career, Column, Decision, Json, Luggage, offered


def _career(rally: Rally) -> Career | None:
    return offered(registry.get(rally.game), Career)


def new_car(rally: Rally) -> Luggage | None:
    """A car before the first stage; None where cars bring nothing."""
    career = _career(rally)
    return None if career is None else career.new_luggage(rally.all_options)


def in_rally(rally: Rally, course: Json, *, last: bool) -> Json:
    """A course as it is driven in the rally; `last`: no other stage follows."""
    career = _career(rally)
    return course if career is None else career.in_rally(course, last=last)


def after_stage(rally: Rally, stage: SpecialStage, car: Luggage, *, retired: bool) -> Luggage | None:
    """The car as it leaves the stage, or the service park where there is one (F3)."""
    career = _career(rally)
    if career is None:
        return None
    return career.after_stage(car, service=stage.service, retired=retired, options=rally.all_options)


def decisions(rally: Rally, stage: SpecialStage, car: Luggage | None, *, last: bool) -> tuple[Decision, ...]:
    """What the driver may decide at the time control after the stage; nothing when there is nothing to ask."""
    career = _career(rally)
    if career is None or car is None:
        return ()
    return career.decisions(car, service=stage.service, options=rally.all_options, last_stage=last)


def decide(
    rally: Rally, stage: SpecialStage, car: Luggage | None, decision: Mapping[str, Json], *, last: bool
) -> tuple[Luggage | None, int]:
    """The car after a decision, and what the decision costs in the game's unit.

    Raises:
        RuleError: this cannot be decided.
    """
    career = _career(rally)
    if career is None or car is None:
        return car, 0
    return career.decide(car, decision, service=stage.service, options=rally.all_options, last_stage=last)


def starting_order(rally: Rally, totals: Mapping[str, int], last: Mapping[str, int], lots: Sequence[str]) -> list[str]:
    """The starting order of a later stage: by the game, else the best total first, then the last stage, then lots."""
    career = _career(rally)
    if career is not None:
        return career.starting_order(totals, last, lots)
    sign = worse(rally.measure)
    return sorted(totals, key=lambda seat: (sign * totals[seat], sign * last[seat], lots.index(seat)))


def sheet_columns(rally: Rally) -> tuple[Column, ...]:
    """What the rally sheet keeps of a car besides measure and place."""
    career = _career(rally)
    return () if career is None else career.sheet_columns


def sheet_row(rally: Rally, car: Luggage | None) -> dict[str, Any]:
    """What the rally sheet keeps of this car, by column key."""
    career = _career(rally)
    return {} if career is None or car is None else career.sheet_row(car)
