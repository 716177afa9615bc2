"""Folds: how each event changes a race. Folding all events of a race over its set-up gives its state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.contract import Event, GameError
from engine.formula_d.race import (
    BUILD,
    FINISHED,
    GARAGE,
    OUT,
    OVER,
    QUALIFYING,
    RACE,
    Car,
    Race,
    in_the_pits,
    reads,
    team,
    track_of,
)

_MANY_CARS = ("grid", "over", "repair")
"""The events that change other cars than the one they name."""


def copied(race: Race, event: Event | None = None) -> Race:
    """Return a copy into which events may be folded. With `event`, only the parts that this event may change are
    copied.

    Lists are shared with the original, because a fold replaces lists and never changes them in place.
    """
    new = dict(race)
    if event is None or event.get("kind") in _MANY_CARS:
        new["cars"] = {seat: {**car, "wp": dict(car["wp"])} for seat, car in race["cars"].items()}
    elif (car := race["cars"].get(event.get("seat"))) is not None:
        new["cars"] = {**race["cars"], event["seat"]: {**car, "wp": dict(car["wp"])}}
    if race["turn"]:
        new["turn"] = dict(race["turn"])
    return new


def fold(race: Race, event: Event) -> None:
    """Change a copied race by one event.

    Raises: GameError when this game has no event of that kind.
    """
    kind = str(event.get("kind"))
    if kind not in _FOLDS:
        raise GameError("there is no event %(kind)s", kind=kind[:40])
    seat = event.get("seat")
    if seat is not None and seat not in race["cars"]:
        raise GameError("%(kind)s: there is no car %(seat)s in this race", kind=kind, seat=str(seat)[:40])
    _FOLDS[kind](race, event, race["cars"].get(seat))


def _round(race: Race, event: Event, car: Any) -> None:
    race["stage"], race["round"] = RACE, event["round"]
    race["order"], race["left"], race["strained"] = list(event["order"]), list(event["order"]), 0


def _turn(race: Race, event: Event, car: Car) -> None:
    race["turn"] = {
        "seat": event["seat"],
        "phase": "gear",
        "space": car["space"],
        "lap": car["lap"],
        "age": car["age"],
        "pits": in_the_pits(race, car),
        "position": [car["lap"], track_of(race).along[track_of(race).index[car["space"]]]],
        "great": False,
        "count": 0,
        "strain": False,
        "bonus": event["bonus"],
        "braked": False,
        "over": False,
        "slid": False,
        "debris": False,
        "moved": False,
    }


def _start(race: Race, event: Event, car: Car) -> None:
    car["started"] = True
    race["turn"]["great"], race["turn"]["count"] = event["result"] == "great", event["spaces"]


def _gear(race: Race, event: Event, car: Car) -> None:
    car["gear"], car["spun"] = event["gear"], False


def _roll(race: Race, event: Event, car: Car) -> None:
    turn = race["turn"]
    turn["count"], turn["strain"] = event["spaces"], event["strain"]
    race["strained"] += event["strain"]


def _wear(race: Race, event: Event, car: Car) -> None:
    car["wp"][event["area"]] -= event["number"]
    turn = race["turn"]
    if event["why"] == "brake":
        turn["braked"] = True
    if event["why"] == "shift" and event["area"] == "engine":
        turn["debris"] = True


def _nitro(race: Race, event: Event, car: Car) -> None:
    car["nitro"] = False


def _bonus(race: Race, event: Event, car: Car) -> None:
    race["turn"]["bonus"] = 0


def _slide(race: Race, event: Event, car: Car) -> None:
    race["turn"]["slid"] = True


def _step(race: Race, event: Event, car: Car) -> None:
    car["space"] = event["space"]
    race["turn"]["moved"] = True


def _lap(race: Race, event: Event, car: Car) -> None:
    car["lap"] += 1
    car["age"] += 1
    car["boxed"] = False
    if car["lap"] > 1 and race["options"]["nitro"]:
        car["nitro"] = True


def _nothing(race: Race, event: Event, car: Car) -> None:
    """Change nothing: the event only informs. Other events carry its effects."""


def _overshoot(race: Race, event: Event, car: Car) -> None:
    race["turn"]["over"] = True
    if race["stage"] == QUALIFYING:
        car["lap_points"] += event["price"]


def _spin(race: Race, event: Event, car: Car) -> None:
    car["wp"]["tires"], car["spun"] = event["tires"], True


def _box(race: Race, event: Event, car: Car) -> None:
    car["boxed"] = True


def _repair(race: Race, event: Event, car: Car) -> None:
    car["wp"][event["area"]] += event["number"]
    left = event["points"]
    if left:
        mates = [car, *(other for other in race["cars"].values() if other is not car and team(other) == team(car))]
        shared = race["options"]["teams"] and not reads(race, "own_repairs")
        for mate in mates if shared else [car]:
            drawn = min(left, mate["repair"])
            mate["repair"] -= drawn
            left -= drawn


def _tyres(race: Race, event: Event, car: Car) -> None:
    car["tyres"], car["age"] = event["tyres"], 0


def _pit(race: Race, event: Event, car: Car) -> None:
    if event["result"] == "fast":
        race["turn"]["count"], car["gear"] = event["spaces"], event["gear"]


def _phase(race: Race, event: Event, car: Car) -> None:
    race["turn"]["phase"] = event["phase"]


def _stop(race: Race, event: Event, car: Car) -> None:
    car["stops"] = event["stops"]


def _debris(race: Race, event: Event, car: Any) -> None:
    if event["space"] not in race["markers"]:
        race["markers"] = [*race["markers"], event["space"]]


def _out(race: Race, event: Event, car: Car) -> None:
    car["status"], car["why"], car["distance"] = OUT, event["why"], list(event["distance"])
    if not event["stays"]:
        car["space"] = None


def _cleared(race: Race, event: Event, car: Car) -> None:
    car["space"] = None


def _finish(race: Race, event: Event, car: Car) -> None:
    car["status"], car["rank"], car["space"] = FINISHED, event["place"], None
    car["rounds"] = race["round"]
    car["points"] += event["points"]


def _done(race: Race, event: Event, car: Car) -> None:
    car["turns"] += 1
    turn = race["turn"]
    if turn and turn["moved"]:
        race["arrivals"] += 1
        car["arrived"] = race["arrivals"]
    race["turn"] = None
    if race["stage"] == QUALIFYING:
        car["lap_points"] += event["points"]
    elif race["left"]:
        race["left"] = race["left"][race["left"].index(event["seat"]) + 1 :]


def _weather(race: Race, event: Event, car: Any) -> None:
    race["weather"] = event["state"]
    if event["when"] == "qualifying":
        race["wet_qualifying"] = event["state"] == "rain"


def _qualifying(race: Race, event: Event, car: Car) -> None:
    race["stage"], race["left"] = QUALIFYING, [event["seat"]]
    car["space"], car["began"], car["tyres"] = event["space"], True, car["tyres_q"]
    car["lap_points"] = 0


def _qualified(race: Race, event: Event, car: Car) -> None:
    car["qualifying"] = event["points"]
    car["space"], race["left"] = None, []


def _garage(race: Race, event: Event, car: Any) -> None:
    race["stage"], race["left"], race["when"] = GARAGE, list(event["seats"]), event["when"]


def _left(race: Race, event: Event, car: Car) -> None:
    race["left"] = [seat for seat in race["left"] if seat != event["seat"]]


def _prepared(race: Race, event: Event, car: Car) -> None:
    car["tyres_q" if race["when"] == QUALIFYING else "tyres_race"] = car["tyres"] = event["tyres"]
    if event["build"] is not None:
        car["wp"], car["full"], car["repair"] = dict(event["build"]), dict(event["build"]), event["repair"]
    car["asks"] = [when for when in car["asks"] if when not in (race["when"], BUILD)]
    car["turns"] += 1
    race["left"] = [seat for seat in race["left"] if seat != event["seat"]]


def _grid(race: Race, event: Event, car: Any) -> None:
    """Place the cars on the grid in their initial state. Only the points of qualifying are kept (Q6)."""
    track = track_of(race)
    race["stage"] = RACE
    for place, seat in enumerate(event["order"]):
        car = race["cars"][seat]
        car.update(space=track.spaces[track.grid[place]], gear=0, lap=0, stops=0, age=0, arrived=place)
        car.update(tyres=car["tyres_race"], nitro=race["options"]["nitro"])
        car["points"] += event["points"][place]
    race["arrivals"] = len(event["order"])


def _over(race: Race, event: Event, car: Any) -> None:
    race["stage"], race["left"] = OVER, []
    for seat, place in event["places"].items():
        race["cars"][seat]["rank"] = place


_FOLDS: Mapping[str, Callable[[Race, Event, Any], None]] = {
    "round": _round,
    "turn": _turn,
    "start": _start,
    "gear": _gear,
    "roll": _roll,
    "wear": _wear,
    "nitro": _nitro,
    "bonus": _bonus,
    "slip": _nothing,
    "slide": _slide,
    "step": _step,
    "lap": _lap,
    "marker": _nothing,
    "collision": _nothing,
    "engine": _nothing,
    "overshoot": _overshoot,
    "spin": _spin,
    "box": _box,
    "repair": _repair,
    "tyres": _tyres,
    "pit": _pit,
    "phase": _phase,
    "stop": _stop,
    "debris": _debris,
    "out": _out,
    "cleared": _cleared,
    "finish": _finish,
    "done": _done,
    "weather": _weather,
    "qualifying": _qualifying,
    "qualified": _qualified,
    "left": _left,
    "prepared": _prepared,
    "garage": _garage,
    "grid": _grid,
    "over": _over,
}
