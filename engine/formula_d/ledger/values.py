"""The value of a situation in turns: those driven, and those to the flag that the neutral driver expects.

The neutral driver (`neutral_manner`) weighs only the mean. The turns come from the tables of an empty track. To them
comes the price of the risk that the dice of others take the last WP of body, engine or road holding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.contract import Event
from engine.formula_d.choices import table_of
from engine.formula_d.codriver.manner import neutral_manner
from engine.formula_d.codriver.pitwall import hazards
from engine.formula_d.codriver.turn_costs import TurnCosts
from engine.formula_d.facts import TOTAL, facts
from engine.formula_d.fold import copied, fold
from engine.formula_d.race import Race, track_of, wet
from engine.formula_d.weather import moved

_FATAL = ("body", "engine", "road", TOTAL)
"""The areas whose last WP puts a car out (K5, E2, D3, X1)."""


def costs_between_turns(race: Race, seat: str) -> TurnCosts:
    """Return the costs of a car as if its turn began now."""
    return TurnCosts(table_of({**race, "turn": None}, seat), neutral_manner())


def risk_ahead(costs: TurnCosts) -> float:
    """Return the price in turns of the risk to go out by the dice of others. None in the basic game, whose tables know
    the one pool.
    """
    return 0.0 if costs.rules.basic else hazards(costs.manner, costs.car["wp"], costs.turns)


def turns_left(race: Race, seat: str) -> float:
    """Return the turns to the flag of a car that is on the track and waits for its next turn, or that is out."""
    costs, wp = costs_between_turns(race, seat), race["cars"][seat]["wp"]
    if any(not wp.get(area, 1) for area in _FATAL):
        return costs.out_cost
    return costs.before_gear() + risk_ahead(costs)


def turns_left_after_out(race: Race, seat: str) -> float:
    """Return the turns that count for a car that goes out on its space."""
    return costs_between_turns(race, seat).out_cost


def after(race: Race, *events: Event) -> Race:
    """Return a race with more events folded."""
    for event in events:
        race = copied(race, event)
        fold(race, event)
    return race


def hit_values(race: Race, seat: str, kind: str) -> tuple[float, float, float]:
    """Return what an engine or collision die means for a car: the chance of a hit, the turns to the flag with it, those
    without it (K4, E2, W6).
    """
    black, basic, rain = facts().black, race["options"]["rules"] == "basic", wet(race)
    if kind == "engine":
        bad, area = black.engine_wet if rain else black.engine_dry, "engine"
    else:
        bad, area = black.collision_basic if basic else black.collision_wet if rain else black.collision_dry, "body"
    area = TOTAL if basic else area
    hit = after(race, {"kind": "wear", "seat": seat, "area": area, "number": 1, "why": kind})
    return bad / black.faces, turns_left(hit, seat), turns_left(race, seat)


def weather_values(race: Race, seat: str) -> tuple[dict[str, int], dict[str, float]]:
    """Return the weather that a weather die of a round can bring (W4): the faces for each, and the turns to the flag.
    All is empty where no face changes how wet the track is.
    """
    faces: dict[str, int] = {}
    for word in track_of(race).weather:
        state = moved(race["weather"], word)
        faces[state] = faces.get(state, 0) + 1
    if len({wet({**race, "weather": state}) for state in faces}) < 2:
        return {}, {}
    return faces, {state: turns_left({**race, "weather": state}, seat) for state in faces}


def grid_values(race: Race, seat: str, order: Sequence[str]) -> list[float]:
    """Return the turns to the flag of a car from each place of the grid that cars take (Y3)."""
    track, car = track_of(race), race["cars"][seat]
    places = (track.spaces[track.grid[place]] for place in range(len(order)))
    return [turns_left({**race, "cars": {seat: {**car, "space": space}}}, seat) for space in places]


def mean(faces: Mapping[Any, int], values: Mapping[Any, float]) -> float:
    """Return the mean of values, each weighed by its number of faces."""
    return sum(count * values[face] for face, count in faces.items()) / sum(faces.values())
