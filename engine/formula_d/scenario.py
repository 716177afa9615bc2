"""Scenario files of Formula D: all dice results given in advance, and the orders turn by turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.chance import ChanceError
from engine.contract import DocumentError, Event, Json, OptionError, RuleError
from engine.formula_d import phases, start
from engine.formula_d.facts import facts
from engine.formula_d.race import (
    OVER,
    RACE,
    Race,
    at,
    in_the_pits,
    next_to_play,
    order,
    repair_left,
    teams,
    track_of,
)
from engine.formula_d.setup import pool, setup
from engine.formula_d.table import Table
from engine.formula_d.track import BOX

_DICE = "dice"


class Listed:
    """Dice with results from a list, in the order of A1 and A2. Gear dice are given by the spaces they show (A3)."""

    def __init__(self, dice: Sequence[Json]) -> None:
        self._dice = dice
        self.used = 0

    def _next(self, what: str, faces: Sequence[int] | range) -> int:
        if self.used >= len(self._dice):
            raise ChanceError(f"no die is left for {what}")
        die = self._dice[self.used]
        if not isinstance(die, int) or isinstance(die, bool) or die not in faces:
            raise ChanceError(f"die {self.used + 1} does not fit {what}")
        self.used += 1
        return die

    def black(self, what: str) -> int:
        """Return the next result as that of a d20."""
        return self._next(what, range(1, facts().black.faces + 1))

    def gear(self, what: str, gear: int) -> int:
        """Return the next result as that of a gear die."""
        return self._next(what, facts().gears[gear])


def play(document: Any) -> tuple[dict[str, Any], bool]:
    """Play a scenario. Return the output to print, and whether all orders were legal.

    Raises: DocumentError when the document cannot be read.
    """
    dice = Listed(_list(document, "dice"))
    played = -1
    try:
        for moment in _moments(document, dice):
            race = moment[0]
            played += 1
    except OptionError as error:
        return _refused(played + 1, "Y1", f"{error.option}: {error.message}")
    except RuleError as error:
        return _refused(played + 1, error.rule, error.message)
    except ChanceError as error:
        return _refused(played + 1, _DICE, str(error))
    return shown(race, dice.used, weather="weather" in document), True


def moments(document: Any) -> Iterator[tuple[Race, Sequence[Event]]]:
    """Yield the race before the first order of a scenario, then the race after each order with the order's events.

    Raises: DocumentError when the document cannot be read.
    Raises: RuleError when the set-up or an order is illegal.
    Raises: ChanceError when the dice run out or do not fit.
    """
    return _moments(document, Listed(_list(document, "dice")))


def _moments(document: Any, dice: Listed) -> Iterator[tuple[Race, Sequence[Event]]]:
    orders = _list(document, "orders")
    race = _begun(document, dice)
    yield race, []
    for given in orders:
        table = _played(race, given, dice)
        race = table.race
        yield race, table.events


def _refused(number: int, rule: str, message: str) -> tuple[dict[str, Any], bool]:
    return {"error": {"turn": number, "rule": rule, "message": message}}, False


def _list(document: Any, name: str) -> list[Json]:
    value = document.get(name, []) if isinstance(document, Mapping) else None
    if not isinstance(value, list):
        raise DocumentError("%(name)s: a list", name=name)
    return value


def _played(race: Race, given: Json, dice: Listed) -> Table:
    """Return the table after one order, which is a whole turn."""
    if not isinstance(given, Mapping):
        raise DocumentError("orders: each one is an object")
    seat = given.get("car")
    if not isinstance(seat, str) or seat != next_to_play(race):
        raise RuleError("O1", "it is not this car's turn")
    table = Table(race, seat, dice)
    phases.whole_turn(table, given)
    return table


def _begun(document: Mapping[str, Json], dice: Listed) -> Race:
    """Return the race before its first order."""
    cars = _list(document, "cars")
    options, name = document.get("options", {}), document.get("track")
    if not all(isinstance(car, Mapping) for car in cars):
        raise DocumentError("cars: each one is an object")
    if not isinstance(options, Mapping) or not isinstance(name, str):
        raise DocumentError("a scenario has a track and options")
    grid = "roll" if document.get("grid") == "roll" else "entry"
    race = setup(name, cars, options, grid=grid, asks=False)
    if "weather" in document:
        if document["weather"] not in facts().weather.states:
            raise RuleError("W1", "weather is one of %(states)s", states=", ".join(facts().weather.states))
        race["weather_told"] = document["weather"]
    race["markers"] = _markers(race, document)
    in_the_middle_of_a_race = any("space" in car for car in cars)
    if in_the_middle_of_a_race or not race["options"]["qualifying"]:
        race["weather"] = race["weather_told"]
    elif race["weather_told"] is not None:  # it replaces W3 only: qualifying is dry unless W2 says rain
        race["weather"] = facts().weather.states[0]
    if in_the_middle_of_a_race:
        return in_the_middle(race, cars)
    table = Table(race, next(iter(race["cars"])), dice)
    start.begin(table)
    return table.race


def _markers(race: Race, document: Mapping[str, Json]) -> list[str]:
    """Return the damage markers that are on the track at the beginning."""
    markers, index = _list(document, "markers"), track_of(race).index
    if not all(isinstance(space, str) and space in index for space in markers):
        raise DocumentError("markers: spaces of the track")
    return list(dict.fromkeys(markers))


def in_the_middle(race: Race, cars: Sequence[Mapping[str, Json]]) -> Race:
    """Return a race that has begun already: no dice are rolled before the first turn, and there is no qualifying."""
    for given in cars:
        _place(race, given)
    if race["options"]["weather"] and race["weather"] is None:
        race["weather"] = facts().weather.states[0]
    race["options"] = {**race["options"], "qualifying": False}
    race["stage"], race["round"] = RACE, 1
    race["order"] = order(race)
    race["left"] = list(race["order"])
    return race


def _number(given: Mapping[str, Json], name: str, default: int) -> int:
    value = given.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise DocumentError("%(name)s: a whole number", name=name)
    return value


def _place(race: Race, given: Mapping[str, Json]) -> None:
    """Put one car into the state that the file gives."""
    car, options = race["cars"][given["id"]], race["options"]
    space = given.get("space")
    if (
        not isinstance(space, str)
        or space not in track_of(race).index
        or any(other["space"] == space for other in race["cars"].values())
    ):
        raise DocumentError("%(car)s: a free space of the track", car=given["id"])
    car["space"] = space
    car["gear"] = _number(given, "gear", 0)
    if car["gear"] > facts().top_gear:
        raise DocumentError("%(car)s: there is no such gear", car=given["id"])
    pits = in_the_pits(race, car)
    car["lap"] = _number(given, "lap", 1 if car["gear"] or pits else 0)
    if car["lap"] > options["laps"] or (pits and not 1 <= car["lap"] < options["laps"]):
        raise RuleError("Y1", "%(car)s: no such lap in this race", car=given["id"])
    car["stops"] = _number(given, "stops", 0)
    car["age"] = _number(given, "age", car["lap"])
    car["tyres"] = car["tyres_race"]
    car["nitro"] = bool(options["nitro"] and given.get("nitro", True))
    car["started"] = bool(given.get("started", car["gear"] > 0))
    car["boxed"] = pits and bool(given.get("boxed", False) or track_of(race).kind[at(race, car)] == BOX)
    wear = given.get("wp", {})
    if not isinstance(wear, Mapping) or not set(wear) <= set(pool(race)):
        raise DocumentError("%(car)s: wp by area", car=given["id"])
    for area in wear:
        car["wp"][area] = _number(wear, area, 0)


def shown(race: Race, dice_used: int, *, weather: bool) -> dict[str, Any]:
    """Return what `replay` prints of a race. `weather` says whether the file gives the weather."""
    options = race["options"]
    found: dict[str, Any] = {
        "round": race["round"],
        "next": next_to_play(race),
        "over": race["stage"] == OVER,
        "markers": sorted(race["markers"]),
        "dice_used": dice_used,
        "cars": {seat: _shown_car(race, seat) for seat in race["cars"]},
    }
    if options["weather"] or weather:
        found["weather"] = race["weather"]
    if options["teams"]:
        found["teams"] = teams(race)
    return found


def _shown_car(race: Race, seat: str) -> dict[str, Any]:
    car, options = race["cars"][seat], race["options"]
    names = ["space", "gear", "lap", "stops", "wp", "status", "rank", "points"]
    names += ["tyres", "age"] if options["tyres"] else []
    names += ["nitro"] if options["nitro"] else []
    names += ["qualifying"] if car["began"] else []
    found = {name: car[name] for name in names}
    if options["technical_pit"]:
        found["repair"] = repair_left(race, seat)
    return found
