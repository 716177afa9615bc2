"""Decisions of a codriver off the track: tyres and the build of the car in the garage, tyres and repairs in the box."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from engine.contract import Json
from engine.formula_d import pits
from engine.formula_d.codriver.cost_tables import TyreEffect, tables_of_race
from engine.formula_d.codriver.manner import Manner, race_means, risk
from engine.formula_d.codriver.turn_costs import TurnCosts, Wear, tables_of_car, tyre_effect
from engine.formula_d.codriver.wear_states import BRAKES, TIRES, wear_states
from engine.formula_d.facts import AREAS, facts
from engine.formula_d.race import BUILD, GARAGE, QUALIFYING, Race, track_of
from engine.formula_d.table import Table
from engine.formula_d.turn import PIT

_PRICES = (0.05, 0.25, 1.0)
"""Prices of a gearbox WP, in turns, for which tables are filled to find the value of a gearbox."""

_HAZARDS = ("body", "engine", "road")


def garage_orders(race: Race, seat: str, manner: Manner) -> dict[str, Any]:
    """Return the orders for the garage (T1, Y5): the tyres with the least cost by the tables, and the best build."""
    car, options = race["cars"][seat], race["options"]
    alone = race["when"] == QUALIFYING
    orders: dict[str, Any] = {"do": GARAGE}
    kind = car["tyres"]
    if options["tyres"]:
        kind = orders["tyres"] = min(
            facts().tyres.kinds, key=lambda one: _cost_from_grid(race, car, manner, one, alone)
        )
    if BUILD in car["asks"]:
        repair = min(facts().repair, 1 if options["laps"] > 1 else 0) if options["technical_pit"] else 0
        total = facts().build_with_repair - repair if options["technical_pit"] else facts().build
        tyre_effects = tuple(tyre_effect(race, kind, age) for age in range(options["laps"] + 1))
        orders["build"] = dict(best_build(race["track"], manner, tyre_effects, total))
        orders |= {"repair": repair} if options["technical_pit"] else {}
    return orders


def _cost_from_grid(race: Race, car: Mapping[str, Any], manner: Manner, kind: str, alone: bool) -> float:
    """Return the cost of a race, or of a lap of qualifying, from the middle of the grid."""
    track = track_of(race)
    tables = tables_of_car(race, dict(car), manner, kind=kind, age=0, alone=alone)
    space = track.qualifying if alone else track.grid[len(track.grid) // 2]
    return tables[-1].gear_cost(space, 0, 1, tables.rules.index_of(car["wp"]))


@cache
def best_build(
    course: str, manner: Manner, tyre_effects: tuple[TyreEffect, ...], total: int
) -> tuple[tuple[str, int], ...]:
    """Return the best build of a car (Y5) for a race on these tyres, area by area.

    The tables give the value of tire and brake WP. For the gearbox, the cost is the maximum, over several prices of a
    gearbox WP, of the cost by the tables at this price minus the price of the car's gearbox WP. The other areas add the
    price of the risk to go out.
    """
    track = track_of({"track": course})
    space, rules = track.grid[len(track.grid) // 2], wear_states(basic=False, build=True)
    priced = [(one, tables_of_race(track, rules, replace(manner, gearbox=one), tyre_effects)[-1]) for one in _PRICES]

    def cost(wp: Wear) -> float:
        index = rules.index_of(wp)
        drive = max(manner.turns(lap.gear_cost(space, 0, 1, index)) - one * wp["gearbox"] for one, lap in priced)
        return drive + hazards(manner, wp, priced[0][1].mean_turns(space))

    return tuple(min(_builds(total), key=cost).items())


def hazards(manner: Manner, wp: Wear, turns: float) -> float:
    """Return the price in turns of the risk to go out in so many turns by the dice for body, engine and road."""
    return sum(risk(manner, float(getattr(race_means(), area)), wp[area], turns) for area in _HAZARDS)


def _builds(total: int) -> Iterator[dict[str, int]]:
    """Yield the builds to compare: at least 1 WP in each area, and no more tires and brakes than the tables hold."""
    for tires in range(2, TIRES + 1):
        for brakes in range(1, BRAKES + 1):
            for gearbox in range(1, 7):
                left = total - tires - brakes - gearbox
                for body in range(1, left - 1):
                    for engine in range(1, left - body):
                        parts = (tires, brakes, gearbox, body, engine, left - body - engine)
                        yield dict(zip(AREAS, parts, strict=True))


def box_orders(table: Table, manner: Manner) -> dict[str, Json]:
    """Return the orders for the box (T6, P10)."""
    best = min(box_costs(table, manner), key=lambda way: way[0])
    return {"do": PIT, **best[1]}


def box_costs(table: Table, manner: Manner) -> list[tuple[float, dict[str, Json]]]:
    """Return each way to stop in the box, with its cost."""
    costs_by_tyres: dict[str, TurnCosts] = {}
    found: list[tuple[float, dict[str, Json]]] = []
    for decisions in pits.choices(table):
        kind = str(decisions.get("tyres") or table.car["tyres"])
        if kind not in costs_by_tyres:
            costs_by_tyres[kind] = TurnCosts(
                table, manner, tables_of_car(table.race, table.car, manner, kind=kind, age=0)
            )
        found.append((_stop_cost(costs_by_tyres[kind], decisions.get("technical")), decisions))
    return found


def _stop_cost(costs: TurnCosts, technical: Json) -> float:
    """Return the cost of a stop with the pit die, or of a technical stop with its repairs."""
    car = costs.car
    wp = {**car["wp"], "tires": car["full"]["tires"]}
    for area, number in (technical or {}).items():
        wp[area] += number
    gearbox_price = costs.skip_price({"gearbox": 1}, wp)
    turns = gearbox_price + hazards(costs.manner, wp, costs.turns)
    if technical is None:
        return costs.manner.plus_turns(costs.boxed(car["lap"], car["gear"], wp), turns)
    return costs.manner.plus_turns(
        costs.place_cost(costs.table.space, car["lap"], car["gear"], wp, over=False, spun=False), turns
    )
