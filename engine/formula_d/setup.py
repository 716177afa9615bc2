"""The set-up (Y): options, cars and boxes, before anything has happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.contract import Json, Option, OptionError, RuleError, clean_options
from engine.formula_d.facts import AREAS, TOTAL, facts
from engine.formula_d.race import BUILD, QUALIFYING, RACE, RACING, Car, Race
from engine.formula_d.track_files import checked

TITLE = "Formula D"
OPTIONS = (
    Option("rules", "choice", "advanced", "Rules", "Basic: one pool of wear.", ("basic", "advanced")),
    Option("laps", "int", 1, "Laps", least=1, most=3),
    Option("start_roll", "bool", True, "Start roll", "A car may stall or start well."),
    Option("nitro", "bool", False, "Nitro", "Once a lap, spaces by the number of the gear."),
    Option("teams", "bool", False, "Teams", "Two cars to a team, scores added."),
    Option(
        "qualifying",
        "bool",
        False,
        "Qualifying",
        "A lap of each car alone gives the grid. Its turns count, not the minutes it takes. Advanced rules. (Q6)",
    ),
    Option(
        "weather",
        "bool",
        False,
        "Weather",
        "Rain may come and go. Best with the choice of tyres: on hard ones every car slides in rain. Advanced rules.",
    ),
    Option("tyres", "bool", False, "Choice of tyres", "Hard, soft or wet. Advanced rules."),
    Option("technical_pit", "bool", False, "Technical stops", "Repairs in the box. Advanced rules."),
    Option("build", "bool", False, "Own cars", "Wear points shared out by the driver. Advanced rules."),
    Option(
        "detours",
        "bool",
        False,
        "Detours round markers",
        "On straights cars may go round damage markers as they go round cars. Tournaments play so. Advanced "
        "rules. (M3)",
        proposed=True,
    ),
    Option(
        "pits_by_place",
        "bool",
        False,
        "Pits play by place",
        "Cars past the pit entry play before the pits, the pits before cars that may still come in. Tournaments play "
        "so. Otherwise the pits play last. (O3)",
        proposed=True,
    ),
    Option(
        "own_repairs",
        "bool",
        False,
        "Own repair points in teams",
        "In technical stops each car of a team has its own two repair points. Otherwise the two cars share four, and "
        "the car in the box decides alone. (P10)",
        proposed=True,
    ),
)
ADVANCED = ("qualifying", "weather", "tyres", "technical_pit", "build")
"""Y1: the options that only the advanced game has."""
READINGS = ("detours", "pits_by_place", "own_repairs")
"""Y1: the options that choose between two readings of a rule. A race holds those that are on."""


def options_of(given: Mapping[str, Json]) -> dict[str, Json]:
    """Return every option with a value (Y1).

    Raises: OptionError when there is no such option or value, or an option of the advanced game is set in the basic
    one.
    """
    options = clean_options(OPTIONS, given, title=TITLE)
    for name in ADVANCED:
        if options[name] and options["rules"] == "basic":
            raise OptionError(name, "belongs to the advanced rules")
    return options


def _held(options: Mapping[str, Json]) -> dict[str, Json]:
    """Return the options as a race holds them. Races of earlier versions have no readings: without those that are off,
    their stored states are the same as now.
    """
    return {name: value for name, value in options.items() if value or name not in READINGS}


def _build(entrant: Mapping[str, Json], options: Mapping[str, Json]) -> dict[str, int]:
    """Return the WP with which a car starts (Y2, Y5)."""
    given = entrant.get("build")
    if given is None:
        return dict(facts().wear_basic if options["rules"] == "basic" else facts().wear_advanced)
    if not options["build"]:
        raise RuleError("Y5", "cars are not built in this race")
    if not isinstance(given, Mapping) or set(given) != set(AREAS):
        raise RuleError("Y5", "a car is built of tires, brakes, gearbox, body, engine and road holding")
    if any(not isinstance(number, int) or isinstance(number, bool) or number < 1 for number in given.values()):
        raise RuleError("Y5", "at least 1 wear point in each area")
    return {area: given[area] for area in AREAS}


def _repair(entrant: Mapping[str, Json], options: Mapping[str, Json]) -> int:
    """Return the repair points of a car (Y5, P10)."""
    if not options["technical_pit"]:
        return 0
    given = entrant.get("repair", facts().repair)
    if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given <= facts().repair:
        raise RuleError("Y5", "0 to %(most)d repair points", most=facts().repair)
    return given


def _car(entrant: Mapping[str, Json], place: int, options: Mapping[str, Json]) -> Car:
    wp, repair = _build(entrant, options), _repair(entrant, options)
    if options["build"]:
        _check_sum(wp, repair, options)
    tyres = _tyres(entrant.get("tyres"), options)
    tyres_q = _tyres(entrant.get("tyres_q", tyres), options)
    seconds = entrant.get("seconds", 0)
    if not isinstance(seconds, int) or isinstance(seconds, bool) or seconds < 0:
        raise RuleError("Q6", "seconds are a whole number")
    return {
        "box": entrant.get("box", facts().boxes[place]),
        "wp": wp,
        "full": dict(wp),
        "repair": repair,
        "tyres": tyres_q if options["qualifying"] else tyres,
        "tyres_q": tyres_q,
        "tyres_race": tyres,
        "age": 0,
        "nitro": options["nitro"],
        "seconds": seconds,
        "space": None,
        "gear": 0,
        "lap": 0,
        "stops": 0,
        "spun": False,
        "started": False,
        "boxed": False,
        "arrived": place,
        "turns": 0,
        "status": RACING,
        "why": "",
        "distance": None,
        "rank": None,
        "points": 0,
        "began": False,
        "asks": [],
        "lap_points": 0,
        "qualifying": None,
    }


def _asks(entrant: Mapping[str, Json], options: Mapping[str, Json]) -> list[str]:
    """Return the decisions that the entry leaves to the driver in the garage (T1, Y5)."""
    asks = [BUILD] if options["build"] and entrant.get("build") is None else []
    if options["tyres"] and entrant.get("tyres") is None:
        asks += [QUALIFYING] if options["qualifying"] and entrant.get("tyres_q") is None else []
        asks += [RACE]
    return asks


def prepared(race: Race, seat: str, orders: Mapping[str, Json]) -> dict[str, Json]:
    """Return the decisions of a driver in the garage: the tyres (T1) and, if asked for, the build of the car (Y5).

    Raises: RuleError when the build is illegal or there are no such tyres.
    """
    car, options = race["cars"][seat], race["options"]
    if orders.get("tyres") is not None and not options["tyres"]:
        raise RuleError("T1", "tyres are not chosen in this race")
    tyres = _tyres(orders.get("tyres", car["tyres"]), options)
    if BUILD not in car["asks"]:
        return {"tyres": tyres, "build": None, "repair": 0}
    wp, repair = _build(orders, options), _repair(orders, options)
    _check_sum(wp, repair, options)
    return {"tyres": tyres, "build": wp, "repair": repair}


def _check_sum(wp: Mapping[str, int], repair: int, options: Mapping[str, Json]) -> None:
    """Check the sum of all WP of a build (Y5)."""
    most = facts().build_with_repair if options["technical_pit"] else facts().build
    if sum(wp.values()) + repair != most:
        raise RuleError("Y5", "a car is built of %(most)d wear points in all", most=most)


def _tyres(kind: Json, options: Mapping[str, Json]) -> str:
    """Return the tyres on which a car begins (T1)."""
    tyres = facts().tyres
    if kind is None or not options["tyres"]:
        return tyres.plain
    if kind not in tyres.kinds:
        raise RuleError("T1", "tyres are hard, soft or wet")
    return str(kind)


def _check_boxes(cars: Mapping[str, Car], named: Sequence[Json], options: Mapping[str, Json]) -> None:
    """Check the boxes that entrants name: they exist, no two are the same, and a team has two (Y6, Y7).

    Boxes that follow from the order of entry are not checked. The teams are checked only when every car names its box.
    """
    if any(box not in facts().boxes for box in named):
        raise RuleError("Y6", "boxes are %(boxes)s", boxes=", ".join(facts().boxes))
    if options["teams"] and len(cars) % 2:
        raise RuleError("Y7", "teams have two cars each: enter an even number of cars")
    if len(set(named)) < len(named):
        raise RuleError("Y6", "each car has a box of its own")
    letters = [box[0] for box in named]
    if options["teams"] and len(named) == len(cars) and any(letters.count(letter) != 2 for letter in letters):
        raise RuleError("Y7", "two cars to a team: the boxes of a team share a letter")


def setup(
    course: str, entrants: Sequence[Mapping[str, Json]], options: Mapping[str, Json], *, grid: str, asks: bool
) -> Race:
    """Return a race in its initial state. `grid` is "roll" (Y3) or "entry": the grid of a race without qualifying.

    `asks`: drivers decide in the garage what their entries leave open. Otherwise defaults are used.

    Raises: OptionError when the options do not go together.
    Raises: StageError when there is no such track.
    Raises: RuleError when the entrants do not fit the rules (Y1, Y2, Y5 to Y7, T1, Q6).
    """
    options = options_of(options)
    course = checked(course)
    if not 1 <= len(entrants) <= facts().most_cars:
        raise RuleError("Y1", "1 to %(most)d cars", most=facts().most_cars)
    cars: dict[str, Any] = {}
    for place, entrant in enumerate(entrants):
        seat = entrant.get("id")
        if not isinstance(seat, str) or not seat or seat in cars:
            raise RuleError("Y1", "each car has a name of its own")
        cars[seat] = _car(entrant, place, options)
        cars[seat]["asks"] = _asks(entrant, options) if asks else []
    _check_boxes(cars, [entrant["box"] for entrant in entrants if "box" in entrant], options)
    return {
        "track": course,
        "options": _held(options),
        "grid": grid,
        "stage": "before",
        "round": 0,
        "order": [],
        "left": [],
        "entered": list(cars),
        "cars": cars,
        "turn": None,
        "markers": [],
        "weather": None,
        "weather_told": None,
        "wet_qualifying": False,
        "strained": 0,
        "when": "",
        "arrivals": len(cars),
    }


def pool(race: Race) -> tuple[str, ...]:
    """Return the areas of WP in this race (Y2)."""
    return (TOTAL,) if race["options"]["rules"] == "basic" else AREAS


def team_boxes(cars: int, options: Mapping[str, Json]) -> list[dict[str, str]]:
    """Return the boxes of entrants that name none, in order of entry; with teams two of each letter (Y6, Y7)."""
    boxes = facts().boxes
    if options.get("teams") is True and cars % 2 == 0:
        letters = list(dict.fromkeys(box[0] for box in boxes))[: cars // 2]
        boxes = tuple(box for box in boxes if box[0] in letters)
    return [{"box": boxes[place]} if place < len(boxes) else {} for place in range(cars)]
