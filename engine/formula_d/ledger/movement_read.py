"""A movement as its events tell it: the path, what was used for it, and the costs of its end and of the best one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.contract import Event, Json
from engine.formula_d import turn
from engine.formula_d.choices import table_of
from engine.formula_d.codriver.decisions import End, ends_of, stay_cost
from engine.formula_d.codriver.manner import neutral_manner
from engine.formula_d.codriver.turn_costs import TurnCosts
from engine.formula_d.movement.moving import checked_path, checked_price, search_for
from engine.formula_d.movement.path_price import MOVE, OUT, SLIP, PathPrice, Search
from engine.formula_d.movement.reach import layers
from engine.formula_d.movement.walk import PathPosition
from engine.formula_d.phases import PASS
from engine.formula_d.race import Race

_KINDS = {turn.MOVING: MOVE, turn.SLIP: SLIP, turn.OUT: OUT}
MOVEMENT = frozenset(("nitro", "bonus", "slip", "slide", "step", "overshoot", "wear"))
"""The events with which a movement can begin."""
_CLOSING = frozenset(("phase", "box", "finish", "stop", "done", "out"))
"""The events that end a movement."""
ALIKE = 0.005
"""Two ways whose costs differ by less than this, in turns, are alike: the difference is no hundredth."""


@dataclass(frozen=True, slots=True)
class Movement:
    """A movement of a car. `path` has the names of its spaces, `tires` the tire WP paid for braking (B3), `rule` the
    rule by which the car went out on the way, "" when it did not.
    """

    path: tuple[str, ...]
    nitro: int
    bonus: int
    tires: int
    rule: str


class Compared(NamedTuple):
    """A decision about a movement: the costs of the chosen and of the best way, and plain facts about both."""

    chosen: float
    best: float
    facts: dict[str, Json]


def movement_from(events: Sequence[Event], number: int, seat: str) -> Movement:
    """Return the movement of a car that begins with the event of this number."""
    path, spaces, tires, rule = list[str](), {"nitro": 0, "bonus": 0}, 0, ""
    for event in events[number:]:
        if event.get("seat") != seat:
            continue
        if event["kind"] in _CLOSING:
            rule = event.get("rule", "")
            break
        if event["kind"] == "step":
            path.append(event["space"])
        elif event["kind"] in spaces:
            spaces[event["kind"]] = event["number"]
        elif event["kind"] == "wear" and event["why"] == "brake" and event["area"] == "tires":
            tires += event["number"]
    return Movement(tuple(path), spaces["nitro"], spaces["bonus"], tires, rule)


def compared(race: Race, seat: str, due: str, driven: Movement | None, known: float | None = None) -> Compared | None:
    """Return a movement beside the best one. `race` is before it, `driven` is None for a slipstream that was left,
    `known` is the cost of the best movement where it is known.

    None when there is nothing to compare: a car without a path (M7) decides nothing, and neither does one that cannot
    slipstream.
    """
    costs = TurnCosts(table_of(race, seat), neutral_manner())
    if driven is not None and driven.rule == "M7":
        return None
    if driven is not None and known is not None:
        chosen, to = _cost(costs, due, driven)
        if chosen - known < ALIKE:
            return Compared(chosen, known, {"chosen": to, "best": to})
    ends = ends_of(costs, due)
    if not ends:
        return None
    best = min(ends, key=End.sort_key)
    told: dict[str, Json] = {"best": best.search.drive.track.spaces[best.on.space], "best way": best.orders(due)}
    least = best.cost
    if due == turn.SLIP:
        stay = stay_cost(costs)
        if stay <= least:
            least, told = stay, {"best": PASS, "best way": {"do": PASS}}
        if driven is None:
            return Compared(stay, least, {"chosen": PASS, "path": [], **told})
    if driven is None:
        return None
    chosen, to = _cost(costs, due, driven)
    return Compared(chosen, least, {"chosen": to, "path": list(driven.path), **told})


def _cost(costs: TurnCosts, due: str, driven: Movement) -> tuple[float, str]:
    """Return the cost of a movement and the name of its last space. Of a path that a marker has ended (D3), the rest is
    not known: the best one counts.
    """
    search = search_for(costs.table, _KINDS[due], more=driven.nitro + driven.bonus)
    spaces = checked_path(search.drive, list(driven.path))
    car, spent = costs.car, costs.nitro_price(driven.nitro)
    if driven.rule == "D3":
        found = [
            costs.end(search.drive, on, price, car["gear"], car["wp"]) for on, price in _onward(search, spaces[-1])
        ]
        cost = min(found, default=costs.out_cost)
    else:
        price = checked_price(search, spaces[-1], driven.tires)
        cost = costs.end(search.drive, spaces[-1], price, car["gear"], car["wp"])
    return cost + spent, costs.track.spaces[spaces[-1].space]


def _onward(search: Search, at: PathPosition) -> list[tuple[PathPosition, PathPrice]]:
    """Return the ends of a movement that can be reached from a position on its way."""
    return [
        (on, price) for layer in layers(search.drive, at) for on in layer if not on.lost for price in search.prices(on)
    ]
