"""A race as plain JSON, and what may be read from it.

The race: `track`, `options`, `stage` ("garage", "qualifying", "race", "over"), `round`, `order` of the round and those
`left` to play in it, `cars` in order of entry, `turn` while one is half made, `markers`, `weather` (None without it).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.formula_d.facts import facts
from engine.formula_d.field import NOWHERE, Field, field

Race = dict[str, Any]
Car = dict[str, Any]

GARAGE, QUALIFYING, RACE, OVER = "garage", "qualifying", "race", "over"
BUILD = "build"
RACING, FINISHED, OUT = "racing", "finished", "out"

NEVER = 10_000
"""The rounds that a car needs that does not come home, where heats are classified together."""


def track(race: Race) -> Field:
    """Return the compiled track of a race."""
    return field(race["track"])


def basic(race: Race) -> bool:
    """Whether the basic game is played (Y1)."""
    return bool(race["options"]["rules"] == "basic")


def at(race: Race, car: Car) -> int:
    """Return the space of a car by its place in the track's file; -1 off the track."""
    return NOWHERE if car["space"] is None else track(race).index[car["space"]]


def in_the_pits(race: Race, car: Car) -> bool:
    """Whether a car is in the pit lane or a box."""
    space = at(race, car)
    return space != NOWHERE and track(race).in_the_pits(space)


def position(race: Race, car: Car) -> list[int]:
    """F4: laps, and how far round the lap. Larger is farther ahead."""
    space = at(race, car)
    return [car["lap"], NOWHERE if space == NOWHERE else track(race).along[space]]


def entered(race: Race) -> list[tuple[str, Car]]:
    """Return seats and cars in order of entry. A state that was kept as JSON has its cars in another order."""
    return [(seat, race["cars"][seat]) for seat in race["entered"]]


def taken(race: Race, but: str | None = None) -> frozenset[int]:
    """M2: the spaces with cars on them, those out of the race that still stand among them."""
    index = track(race).index
    cars: Mapping[str, Car] = race["cars"]
    return frozenset(index[car["space"]] for seat, car in cars.items() if seat != but and car["space"] is not None)


def wet(race: Race) -> bool:
    """W1: whether the track is wet."""
    sky, weather = facts().sky, race["weather"]
    return weather in sky.wet or bool(weather == sky.first and race["wet_qualifying"])


def factor(race: Race, car: Car) -> int:
    """T4: what an overshoot costs a space, by the age of the tyres as it is now (T5)."""
    tyres = facts().tyres
    table = tyres.factor_old if car["age"] >= tyres.old_age else tyres.factor
    return table["wet" if wet(race) else "dry"][car["tyres"]]


def order(race: Race) -> list[str]:
    """O2, O3: the cars that race, in the order in which they play a round that begins now."""
    running = [(seat, car) for seat, car in race["cars"].items() if car["status"] == RACING]

    def key(entry: tuple[str, Car]) -> tuple[int, ...]:
        car = entry[1]
        lap, along = position(race, car)
        return (in_the_pits(race, car), -lap, -along, -car["gear"], car["arrived"])

    return [seat for seat, _ in sorted(running, key=key)]


def next_to_play(race: Race) -> str | None:
    """O1: the car whose turn it is; None between rounds and when the race is over."""
    if race["stage"] not in (QUALIFYING, RACE):
        return None
    return next((seat for seat in race["left"] if race["cars"][seat]["status"] == RACING), None)


def repair_left(race: Race, seat: str) -> int:
    """P10: the repair points a car may draw on; with teams those of both its cars (Y7)."""
    car = race["cars"][seat]
    if not race["options"]["teams"]:
        return int(car["repair"])
    return sum(other["repair"] for other in race["cars"].values() if team(other) == team(car))


def team(car: Car) -> str:
    """Y7: the team of a car is the letter of its box."""
    return str(car["box"])[0]


def teams(race: Race) -> dict[str, int]:
    """R5: the score of each team, by letter."""
    scores: dict[str, int] = {}
    for car in race["cars"].values():
        scores[team(car)] = scores.get(team(car), 0) + car["points"]
    return dict(sorted(scores.items()))
