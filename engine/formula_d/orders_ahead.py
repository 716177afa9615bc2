"""Orders ahead: a gear, a driving style, a limit for braking and a pit strategy, for one turn or until withdrawn.

Orders are plain JSON: `gear` (default: the best), `way` (the driving style), `brakes` (the most brake WP in a
movement; default: no limit), `pit`, `tyres` (to take in the box), `until`. A codriver decides everything that the
orders do not name, so nothing is left for the driver to decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from engine.contract import Json, Orders, RuleError
from engine.formula_d import phases, pits, turn
from engine.formula_d.choices import table_of
from engine.formula_d.codriver.decisions import End, ends_of, gear_costs
from engine.formula_d.codriver.manner import manner_of_style
from engine.formula_d.codriver.pitwall import box_orders
from engine.formula_d.codriver.turn_costs import TurnCosts
from engine.formula_d.facts import TOTAL, facts
from engine.formula_d.fold import copied
from engine.formula_d.gears import known
from engine.formula_d.odds import odds_of_gear
from engine.formula_d.race import GARAGE, QUALIFYING, RACE, RACING, Race, next_to_play, wet
from engine.formula_d.table import Table
from engine.formula_d.track import STRAIGHT, Track

ORDERS_AHEAD = "standing"
"""The value of `do` that plays the rest of the turn, from any phase, by orders ahead."""

DRIVING_STYLES: Mapping[str, str] = {
    "": "club",
    "inner": "club",
    "save": "cautious",
    "attack": "attack",
    "follow": "club",
}
"""The driving styles, each with the manner that weighs its decisions."""

PITS = ("", "never", "now")
UNTIL = ("turn", "told")

_AREAS = ("road", "body", "engine")
_MORE_RISK = Fraction(1, 20)
"""The increase in the chance to be out from which the driver is asked again."""
_STYLE_PRICE = 0.4
"""How many turns a driver gives up to follow a driving style."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Orders ahead, checked."""

    gear: int | None
    style: str
    brakes: int | None
    pit: str
    tyres: str | None
    until: str


def policy_of(orders: Orders) -> Policy:
    """Return orders ahead as a `Policy`, each key and value checked.

    Raises: RuleError when the orders have an unknown key or value.
    """
    strange = set(orders) - {"do", "gear", "way", "brakes", "pit", "tyres", "until"}
    if strange:
        raise RuleError("A1", "orders ahead have no word %(word)s", word=str(min(strange, key=str))[:40])
    gear, brakes, tyres = orders.get("gear"), orders.get("brakes"), orders.get("tyres")
    if brakes is not None and (not isinstance(brakes, int) or isinstance(brakes, bool) or brakes < 0):
        raise RuleError("B1", "braking is a whole number of wear points")
    if tyres is not None and tyres not in facts().tyres.kinds:
        raise RuleError("T6", "there are no such tyres")
    return Policy(
        None if gear is None else known(gear),
        _one_of(orders, "way", tuple(DRIVING_STYLES)),
        brakes,
        _one_of(orders, "pit", PITS),
        tyres,
        _one_of(orders, "until", UNTIL),
    )


def _one_of(orders: Orders, name: str, words: Sequence[str]) -> str:
    word = orders.get(name, words[0])
    if word not in words:
        raise RuleError("A1", "orders ahead: %(name)s has no such value", name=name)
    return str(word)


# Previewing orders --------------------------------------------------------------------------------


def ahead(race: Race, seat: str) -> Race:
    """Return the race as if it were this car's turn now. All cars keep their spaces.

    Raises: RuleError when it is this car's turn already or it is not driving.
    """
    car = race["cars"].get(seat)
    if car is None or car["status"] != RACING or race["stage"] not in (QUALIFYING, RACE) or car["space"] is None:
        raise RuleError("O1", "this car does not drive")
    if next_to_play(race) == seat:
        raise RuleError("O1", "it is this car's turn already")
    new = copied(race)
    new["turn"] = None
    new["left"] = [seat, *(other for other in race["left"] if other != seat)]
    return new


def begins(race: Race, seat: str) -> bool:
    """Return whether this car is to play and its turn has not begun."""
    return race["stage"] != GARAGE and next_to_play(race) == seat and race["turn"] is None


def outlook(race: Race, seat: str, orders: Orders) -> dict[str, Json]:
    """Return the conditions in which orders ahead would be carried out now: the gear, the risk, the weather, the areas
    with one WP left.

    Raises: RuleError when it is not this car's turn or the orders cannot be carried out.
    """
    policy = policy_of(orders)
    if not begins(race, seat):
        raise RuleError("O1", "it is not this car's turn")
    costs = _turn_costs(race, seat, policy)
    gear = _gear(costs, policy)
    told = odds_of_gear(costs, gear)
    wp = race["cars"][seat]["wp"]
    return {
        "until": policy.until,
        "gear": gear,
        "out": told["out"],
        "overshoot": told["overshoot"],
        "wear": told["wear"],
        "wet": wet(race),
        "last": [area for area in ((TOTAL,) if TOTAL in wp else _AREAS) if wp[area] == 1],
    }


def changed(kept: Mapping[str, Json], now: Mapping[str, Json]) -> RuleError | None:
    """Return why orders should not be carried out, given their outlook when they were sent (`kept`) and `now`. None
    when they should be.
    """
    if kept["wet"] != now["wet"]:
        return RuleError("W6", "the weather has changed")
    if set(now["last"]) - set(kept["last"]):
        return RuleError("X1", "the car is down to its last wear point")
    if kept["until"] == "turn" and kept["gear"] != now["gear"]:
        return RuleError("G2", "another gear is better now")
    if Fraction(*now["out"]) > Fraction(*kept["out"]) + _MORE_RISK:
        return RuleError("M7", "the turn is more dangerous than it was")
    return None


# Playing by orders --------------------------------------------------------------------------------


def next_orders(race: Race, seat: str, orders: Orders) -> dict[str, Json]:
    """Return the next single orders of a turn under orders ahead.

    Raises: RuleError when it is not this car's turn or the orders cannot be carried out.
    """
    policy, due = policy_of(orders), phases.phase_of(race)
    if due == GARAGE or next_to_play(race) != seat:
        raise RuleError("O1", "it is not this car's turn")
    if due == turn.PIT:
        return _in_the_box(table_of(race, seat), policy)
    costs = _turn_costs(race, seat, policy)
    if due == turn.GEAR:
        return {"do": due, "gear": _gear(costs, policy)}
    return _movement(costs, due, policy)


def drive(table: Table, orders: Orders) -> None:
    """Play a turn, or the rest of it, by orders ahead.

    Raises: RuleError when the orders cannot be carried out. Nothing is rolled.
    """
    made = table.car["turns"]
    while True:
        step = next_orders(table.race, table.seat, orders)
        phases.step(table, step["do"], step)
        if table.car["turns"] != made or next_to_play(table.race) != table.seat:
            return


def _turn_costs(race: Race, seat: str, policy: Policy) -> TurnCosts:
    return TurnCosts(table_of(race, seat), manner_of_style(DRIVING_STYLES[policy.style]))


def _gear(costs: TurnCosts, policy: Policy) -> int:
    """Return the ordered gear, or the best one without an order (G1 to G5).

    Raises: RuleError when the gear cannot be chosen.
    """
    if policy.gear is not None:
        costs.checked_gear(policy.gear)
        return policy.gear
    by_gear = gear_costs(costs)
    return min(by_gear, key=lambda gear: (by_gear[gear], gear))


def _movement(costs: TurnCosts, due: str, policy: Policy) -> dict[str, Json]:
    """Return the orders of a movement to the best of the ends that the policy allows.

    When it allows none, all ends are compared, because the car must take one (M6).
    """
    found = ends_of(costs, due)
    allowed = [end for end in found if _allowed(costs, end, policy)] or found
    best = min(
        allowed, key=lambda end: costs.manner.plus_turns(end.cost, _price_of_style(costs, end, policy)), default=None
    )
    if due == turn.SLIP:
        car, over = costs.car, bool(costs.race["turn"]["over"])
        stay = costs.stop(costs.table.space, car["lap"], car["gear"], car["wp"], over=over, spun=bool(car["spun"]))
        discount = -_STYLE_PRICE if policy.style == "follow" else 0.0
        if best is None or stay <= costs.manner.plus_turns(best.cost, discount):
            return {"do": phases.PASS}
    assert best is not None
    return best.orders(due)


def _allowed(costs: TurnCosts, end: End, policy: Policy) -> bool:
    brakes = end.price.brakes + end.price.slip
    if policy.brakes is not None and brakes > policy.brakes:
        return False
    if policy.pit and costs.table.space != end.on.space and not costs.race["turn"]["pits"]:
        inside = costs.track.in_the_pits(end.on.space)
        return not inside if policy.pit == "never" else inside or not _may_come_in(costs)
    return True


def _may_come_in(costs: TurnCosts) -> bool:
    """Return whether the movement can end in the pits (P1)."""
    return any(costs.track.in_the_pits(end.on.space) for end in ends_of(costs, phases.phase_of(costs.race)))


def _price_of_style(costs: TurnCosts, end: End, policy: Policy) -> float:
    """Return the price in turns that a driving style adds to an end; below 0 for an end that it prefers."""
    if policy.style == "inner":
        return 0.0 if costs.track.lane[end.on.space] == inner_lane(costs.track, end.on.space) else _STYLE_PRICE
    if policy.style == "save":
        return _STYLE_PRICE * (end.price.overshoot + end.price.tires)
    if policy.style == "follow":
        rival = costs.rivals.get(costs.track.ahead[end.on.space])
        fits = rival is not None and facts().slip_gear <= rival["gear"] <= costs.car["gear"] and not end.price.brakes
        return -_STYLE_PRICE if fits else 0.0
    return 0.0


def inner_lane(track: Track, space: int) -> int:
    """Return the lane with the fewest spaces in the corner of a space, or in the next corner for a straight space."""
    seen: set[int] = set()
    while track.kind[space] == STRAIGHT and space not in seen:
        seen.add(space)
        space = track.ahead[space]
    corner = track.corner[space]
    lanes = [track.lane[one] for one, other in enumerate(track.corner) if corner and other == corner]
    return min(set(lanes), key=lambda lane: (lanes.count(lane), lane), default=track.lane[space])


def _in_the_box(table: Table, policy: Policy) -> dict[str, Any]:
    """Return the orders for the box: the ordered tyres, and a codriver's decision for the rest."""
    best = box_orders(table, manner_of_style(DRIVING_STYLES[policy.style]))
    if policy.tyres is not None and table.race["options"]["tyres"]:
        wished = {**best, "tyres": policy.tyres}
        if {key: value for key, value in wished.items() if key != "do"} in pits.choices(table):
            return wished
    return best
