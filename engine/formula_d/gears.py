"""Gears (G) and the gear out of the box (P8): which gears a car may choose, and their prices."""

from __future__ import annotations

from collections.abc import Mapping

from engine.contract import Json, RuleError
from engine.formula_d.facts import TOTAL, facts
from engine.formula_d.race import Car, Race, at, basic, track_of
from engine.formula_d.track import BOX

_TOO_LITTLE = {
    "gearbox": "too few gearbox points for the gears skipped",
    "brakes": "too few brake points for the gears skipped",
    "engine": "too few engine points for the gears skipped",
}


def known(gear: Json) -> int:
    """Return the gear when there is such a gear (G1).

    Raises: RuleError when there is no such gear, or none is given.
    """
    if not isinstance(gear, int) or isinstance(gear, bool) or gear not in facts().gears:
        raise RuleError("G1", "choose a gear from 1 to %(top)d", top=facts().top_gear)
    return gear


def price(race: Race, car: Car, gear: int, *, great: bool = False) -> Mapping[str, int]:
    """Return the WP by area that a gear costs this car in the race.

    Raises: RuleError when the car may not choose this gear, or cannot pay for it.
    """
    own: int = car["gear"]
    if great or own == 0:
        if gear != 1:
            raise RuleError("G2", "a car starts in 1st gear")
        return {}
    if car["spun"]:
        if gear != 1:
            raise RuleError("C7", "after a spin a car goes on in 1st gear")
        return {}
    space = at(race, car)
    if track_of(race).kind[space] == BOX:
        if gear > facts().pit_gear:
            raise RuleError("P8", "a car leaves the box in gear %(gear)d at most", gear=facts().pit_gear)
        own = min(own, facts().pit_gear)
    else:
        climb(own, gear)
    return _price_of_skipping(race, car, own - gear - 1)


def climb(own: int, gear: int) -> None:
    """Check that a gear is at most one higher than the own gear (G2, Q2).

    Raises: RuleError when the gear is more than one higher.
    """
    if gear > own + 1:
        raise RuleError("G2", "from gear %(own)d to %(next)d at most", own=own, next=own + 1)


def _price_of_skipping(race: Race, car: Car, skipped: int) -> Mapping[str, int]:
    """Return the price of skipping gears on the way down (G3 to G5)."""
    if skipped <= 0:
        return {}
    table, keeps, wp = facts().skipped, facts().keeps, car["wp"]
    if skipped not in table:
        raise RuleError("G3", "%(most)d gears can be skipped at most", most=max(table))
    if basic(race):
        if wp[TOTAL] - skipped < keeps:
            raise RuleError("G4", "the gears skipped take the last wear point: they cost %(price)d", price=skipped)
        return {TOTAL: skipped}
    for area, number in table[skipped].items():
        left = wp[area] - number
        if left < 0 or (area == "engine" and left < keeps):
            raise RuleError("G5", _TOO_LITTLE[area])
    return table[skipped]
