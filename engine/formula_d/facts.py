"""The numbers of Formula D, read once from `data/rules.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

AREAS = ("tires", "brakes", "gearbox", "body", "engine", "road")
TOTAL = "total"


@dataclass(frozen=True, slots=True)
class BlackDie:
    """The d20. Collision, engine and marker: results from 1 to the number cost a WP (K4, E2, D3). The others are
    results of the start roll (Y4): `stall` and below, `great_basic` and `great_advanced` and above.
    """

    faces: int
    collision_basic: int
    collision_dry: int
    collision_wet: int
    engine_dry: int
    engine_wet: int
    marker_dry: int
    marker_wet: int
    stall: int
    great_basic: int
    great_advanced: int


@dataclass(frozen=True, slots=True)
class Tyres:
    """The effects of tyres by kind: bonus (T3), slide (W7), and the factor of an overshoot by weather, for young and
    old tyres (T4).
    """

    kinds: tuple[str, ...]
    plain: str
    bonus: Mapping[str, int]
    bonus_age: int
    old_age: int
    slide: Mapping[str, int]
    factor: Mapping[str, Mapping[str, int]]
    factor_old: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Weather:
    """The states of the weather, from good to rain (W1), and those in which a race can begin (W3)."""

    states: tuple[str, ...]
    first: str
    wet: frozenset[str]
    final: frozenset[str]
    table: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Facts:
    """All numbers of the rules. WP and spaces are whole numbers, gears are 1 to 6."""

    gears: Mapping[int, tuple[int, ...]]
    skipped: Mapping[int, Mapping[str, int]]
    wear_basic: Mapping[str, int]
    wear_advanced: Mapping[str, int]
    build: int
    build_with_repair: int
    repair: int
    keeps: int
    after_spin: int
    black: BlackDie
    great_spaces: int
    slip_gear: int
    slip_spaces: int
    slip_corner: int
    brakes_first: int
    strain_shows: Mapping[int, int]
    strain_gear: int
    pit_fast: int
    pit_divisor: int
    pit_gear: int
    tyres: Tyres
    weather: Weather
    qualifying_turn: int
    seconds_a_point: int
    qualifying_points: tuple[int, ...]
    race_points: tuple[int, ...]
    most_cars: int
    boxes: tuple[str, ...]

    @property
    def top_gear(self) -> int:
        """The highest gear."""
        return max(self.gears)


def read(name: str) -> Any:
    """Return the parsed contents of a TOML file of `data/`."""
    return tomllib.loads(files("engine.formula_d").joinpath("data", name).read_text("utf-8"))


@cache
def facts() -> Facts:
    """Return the numbers of the rules."""
    raw = read("rules.toml")
    wear, black, tyres, weather = raw["wear"], raw["black_die"], raw["tyres"], raw["weather"]
    return Facts(
        gears={int(gear): tuple(faces) for gear, faces in raw["gears"].items()},
        skipped={int(count): price for count, price in raw["skipped"].items()},
        wear_basic=wear["basic"],
        wear_advanced=wear["advanced"],
        build=wear["build"],
        build_with_repair=wear["build_with_repair"],
        repair=wear["repair"],
        keeps=wear["keeps"],
        after_spin=wear["after_spin"],
        black=BlackDie(**black),
        great_spaces=raw["start"]["great_spaces"],
        slip_gear=raw["slipstream"]["least_gear"],
        slip_spaces=raw["slipstream"]["spaces"],
        slip_corner=raw["slipstream"]["into_corner"],
        brakes_first=raw["braking"]["by_brakes_first"],
        strain_shows={int(gear): shows for gear, shows in raw["strain"]["shows"].items()},
        strain_gear=raw["strain"]["least_gear"],
        pit_fast=raw["pit"]["fast_up_to"],
        pit_divisor=raw["pit"]["divides_by"],
        pit_gear=raw["pit"]["gear_out"],
        tyres=Tyres(**{**tyres, "kinds": tuple(tyres["kinds"])}),
        weather=Weather(
            tuple(weather["states"]),
            weather["first"],
            frozenset(weather["wet"]),
            frozenset(weather["final"]),
            weather["table"],
        ),
        qualifying_turn=raw["qualifying"]["turn"],
        seconds_a_point=raw["qualifying"]["seconds_a_point"],
        qualifying_points=tuple(raw["qualifying"]["points"]),
        race_points=tuple(raw["race"]["points"]),
        most_cars=raw["race"]["most_cars"],
        boxes=tuple(raw["race"]["boxes"]),
    )
