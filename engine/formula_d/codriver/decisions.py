"""The codriver, which drives cars without a driver. It searches every roll of the turn; the tables give the cost of the
rest of the race.

All manners search alike. They differ in their weights for lucky turns, WP and going out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from engine.contract import Json
from engine.formula_d import turn
from engine.formula_d.choices import table_of
from engine.formula_d.codriver.manner import Manner, manner
from engine.formula_d.codriver.pitwall import box_orders, garage_orders
from engine.formula_d.codriver.turn_costs import TurnCosts
from engine.formula_d.codriver.winner import turn_costs_of
from engine.formula_d.facts import facts
from engine.formula_d.movement.moving import search_for
from engine.formula_d.movement.path_price import LAP, MOVE, OUT, SLIP, PathPrice, Search
from engine.formula_d.movement.reach import path as path_of
from engine.formula_d.movement.walk import PathPosition
from engine.formula_d.phases import PASS, phase_of
from engine.formula_d.race import GARAGE, Race


class End(NamedTuple):
    """An end of a movement with its price and cost. `words` are the orders without the path."""

    cost: float
    search: Search
    on: PathPosition
    price: PathPrice
    words: Mapping[str, Json]

    def sort_key(self) -> tuple[float, int, int, int]:
        """Return the sort key of this end: see the function `sort_key`."""
        return sort_key(self.cost, self.on, self.price)

    def orders(self, due: str) -> dict[str, Json]:
        """Return the orders for the first path that ends here."""
        names = self.search.drive.track.spaces
        path = [names[space] for space in path_of(self.search.layers, self.on)]
        return {"do": due, "path": path, **self.words, **({"tires": self.price.tires} if self.price.tires else {})}


def sort_key(cost: float, on: PathPosition, price: PathPrice) -> tuple[float, int, int, int]:
    """Return the sort key of an end, least for the best: the cost, then the wear, the markers, the space."""
    return cost, price.overshoot + price.brakes + price.tires + price.slip, on.markers, on.space


def orders(race: Race, seat: str, name: str) -> dict[str, Any]:
    """Return the next orders of a car in any phase. `name` is the name of the manner."""
    return orders_of(race, seat, manner(name))


def orders_of(race: Race, seat: str, driver: Manner) -> dict[str, Any]:
    """Return the next orders of a car in any phase, as this driver drives it."""
    due = phase_of(race)
    if due == GARAGE:
        return garage_orders(race, seat, driver)
    table = table_of(race, seat)
    if due == turn.PIT:
        return box_orders(table, driver)
    costs = turn_costs_of(table, driver)
    if due == turn.GEAR:
        by_gear = _no_higher(gear_costs(costs), driver.top_gear)
        return {"do": due, "gear": min(by_gear, key=lambda gear: (by_gear[gear], gear))}
    return movement(costs, due)


def _no_higher(by_gear: dict[int, float], top: int) -> dict[int, float]:
    """Return the gears up to `top`, or the lowest one where all are higher; with 0 all gears."""
    if not top:
        return by_gear
    return {gear: cost for gear, cost in by_gear.items() if gear <= max(top, min(by_gear))}


def gear_costs(costs: TurnCosts) -> dict[int, float]:
    """Return the cost of each gear that may be chosen: the mean over its faces, each at its best path (G1).

    For a driver that only wants to win, the costs are chances: the mean chance not to be first.
    """
    return {gear: _gear_cost(costs, rolls) for gear, rolls in gear_rolls(costs).items()}


class GearRolls(NamedTuple):
    """A gear that may be chosen: the cost of each face of its die at its best path; `turns`, the price in turns of this
    turn and of the gears that are skipped; `strain`, that of the engine dice.
    """

    gear: int
    rolled: Mapping[int, float]
    turns: float
    strain: float


def gear_rolls(costs: TurnCosts) -> dict[int, GearRolls]:
    """Return each gear that may be chosen, with the costs of all its rolls."""
    paid = {gear: found for gear in facts().gears if (found := costs.wp_after_gear(gear))}
    fan = costs.fan(paid)
    return {
        gear: GearRolls(
            gear,
            {face: costs.roll(fan, gear, face, wp) for face in set(facts().gears[gear])},
            1.0 + costs.skip_price(areas, costs.car["wp"]),
            costs.strain_price(gear),
        )
        for gear, (wp, areas) in paid.items()
    }


def _gear_cost(costs: TurnCosts, rolls: GearRolls) -> float:
    faces, rolled, turns = facts().gears[rolls.gear], rolls.rolled, rolls.turns + rolls.strain
    outlook = costs.outlook
    if outlook is None:
        return costs.manner.plus_turns(sum(rolled[face] for face in faces) / len(faces), turns)
    lost = {
        face: 1.0 if cost == costs.out_cost else outlook.chance_not_first(costs.manner.turns(cost) + turns)
        for face, cost in rolled.items()
    }
    return sum(lost[face] for face in faces) / len(faces)


def movement(costs: TurnCosts, due: str) -> dict[str, Json]:
    """Return the orders for the end of the movement with the least cost; in a slipstream, the orders to pass if that is
    not dearer.
    """
    found = ends_of(costs, due)
    if due == turn.SLIP and (not found or stay_cost(costs) <= min(end.cost for end in found)):
        return {"do": PASS}
    return min(found, key=End.sort_key).orders(due)


def stay_cost(costs: TurnCosts) -> float:
    """Return the cost of ending the turn where the car is."""
    car, over = costs.car, bool(costs.race["turn"]["over"])
    return costs.stop(costs.table.space, car["lap"], car["gear"], car["wp"], over=over, spun=bool(car["spun"]))


def ends_of(costs: TurnCosts, due: str) -> list[End]:
    """Return every end of the movement that is due, with its cost."""
    table, gear = costs.table, costs.car["gear"]
    if due == turn.OUT:
        return _ends(costs, search_for(table, OUT), {}, 0.0)
    if due == turn.SLIP:
        bonus = int(costs.race["turn"]["bonus"])
        more = [(0, some) for some in sorted({0, bonus})]
    else:
        more = costs.extras(gear)
    kind = SLIP if due == turn.SLIP else LAP if costs.in_qualifying else MOVE
    found: list[End] = []
    for nitro, some in more:
        words: dict[str, Json] = {**({"nitro": True} if nitro else {}), **({"bonus": True} if some else {})}
        found += _ends(costs, search_for(table, kind, more=nitro + some), words, costs.nitro_price(nitro))
    return found


def _ends(costs: TurnCosts, search: Search, words: Mapping[str, Json], spent: float) -> list[End]:
    found, car = [], costs.car
    for layer in search.layers:
        for on in layer:
            if on.lost or (search.budget.kind == SLIP and not on.driven):
                continue
            for price in search.prices(on):
                cost = costs.end(search.drive, on, price, car["gear"], car["wp"])
                found.append(End(costs.manner.plus_turns(cost, spent), search, on, price, words))
    return found
