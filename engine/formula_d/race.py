"""A race as plain JSON, and functions that read it.

Keys of a race: `track`, `options`, `stage` ("garage", "qualifying", "race", "over"), `round`, `order` (the cars of the
round), `left` (the cars that have yet to play in it), `cars` by seat, `entered` (the seats in order of entry), `turn`
(the current turn, None between turns), `markers`, `weather` (None without that option).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.formula_d.facts import facts
from engine.formula_d.track import BOX, NOWHERE, Track, load_track

Race = dict[str, Any]
Car = dict[str, Any]

GARAGE, QUALIFYING, RACE, OVER = "garage", "qualifying", "race", "over"
BUILD = "build"
RACING, FINISHED, OUT = "racing", "finished", "out"

NEVER = 10_000
"""The number of rounds that a car out of the race counts with when heats are ranked together."""


def track_of(race: Race) -> Track:
    """Return the compiled track of a race."""
    return load_track(race["track"])


def basic(race: Race) -> bool:
    """Return whether the basic game is played (Y1)."""
    return bool(race["options"]["rules"] == "basic")


def at(race: Race, car: Car) -> int:
    """Return the index of a car's space; -1 off the track."""
    return NOWHERE if car["space"] is None else track_of(race).index[car["space"]]


def in_the_pits(race: Race, car: Car) -> bool:
    """Return whether a car is in the pit lane or a box."""
    space = at(race, car)
    return space != NOWHERE and track_of(race).in_the_pits(space)


def position(race: Race, car: Car) -> list[int]:
    """Return the laps and the progress round the lap (F4). Larger is farther ahead."""
    space = at(race, car)
    return [car["lap"], NOWHERE if space == NOWHERE else track_of(race).along[space]]


def entered(race: Race) -> list[tuple[str, Car]]:
    """Return seats and cars in order of entry. `race["cars"]` can lose this order when a state is stored as JSON."""
    return [(seat, race["cars"][seat]) for seat in race["entered"]]


def taken(race: Race, but: str | None = None) -> frozenset[int]:
    """Return the spaces with cars on them (M2), except that of the seat `but`. Cars that are out but still on the track
    count.
    """
    index = track_of(race).index
    cars: Mapping[str, Car] = race["cars"]
    return frozenset(index[car["space"]] for seat, car in cars.items() if seat != but and car["space"] is not None)


def wet(race: Race) -> bool:
    """Return whether the track is wet (W1)."""
    rules, state = facts().weather, race["weather"]
    return state in rules.wet or bool(state == rules.first and race["wet_qualifying"])


def factor(race: Race, car: Car) -> int:
    """Return the price of one space of an overshoot (T4), by the current age of the tyres (T5)."""
    tyres = facts().tyres
    table = tyres.factor_old if car["age"] >= tyres.old_age else tyres.factor
    return table["wet" if wet(race) else "dry"][car["tyres"]]


def order(race: Race) -> list[str]:
    """Return the racing cars in the order in which they play a round that begins now (O2, O3)."""
    running = [(seat, car) for seat, car in race["cars"].items() if car["status"] == RACING]
    by_place = reads(race, "pits_by_place")

    def key(entry: tuple[str, Car]) -> tuple[int, ...]:
        car = entry[1]
        lap, along = position(race, car)
        last, within = (0, _part_of_the_lap(race, car)) if by_place else (in_the_pits(race, car), 0)
        return (last, -lap, within, -along, -car["gear"], car["arrived"])

    return [seat for seat, _ in sorted(running, key=key)]


def _part_of_the_lap(race: Race, car: Car) -> int:
    """Return the part of a lap in which a car is (O3): 0 past the pit entry, 1 in the pit lane, 2 in a box, 3 before
    the entry.
    """
    track, space = track_of(race), at(race, car)
    if track.in_the_pits(space):
        return 2 if track.kind[space] == BOX else 1
    return 0 if track.along[space] > track.last_way_in else 3


def reads(race: Race, name: str) -> bool:
    """Return whether a race has chosen another reading of a rule (Y1). Races of earlier versions have chosen none."""
    return bool(race["options"].get(name))


def next_to_play(race: Race) -> str | None:
    """Return the car whose turn it is (O1); None between rounds, in the garage and when the race is over."""
    if race["stage"] not in (QUALIFYING, RACE):
        return None
    return next((seat for seat in race["left"] if race["cars"][seat]["status"] == RACING), None)


def repair_left(race: Race, seat: str) -> int:
    """Return the repair points that a car may use (P10); with teams, those of both cars of its team (Y7)."""
    car = race["cars"][seat]
    if not race["options"]["teams"] or reads(race, "own_repairs"):
        return int(car["repair"])
    return sum(other["repair"] for other in race["cars"].values() if team(other) == team(car))


def team(car: Car) -> str:
    """Return the team of a car, which is the letter of its box (Y7)."""
    return str(car["box"])[0]


def teams(race: Race) -> dict[str, int]:
    """Return the score of each team by its letter (R5)."""
    scores: dict[str, int] = {}
    for car in race["cars"].values():
        scores[team(car)] = scores.get(team(car), 0) + car["points"]
    return dict(sorted(scores.items()))
