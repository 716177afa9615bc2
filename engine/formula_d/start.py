"""Before the first turn (A2): weather, qualifying, the grid, the first round."""

from __future__ import annotations

from collections.abc import Sequence

from engine.formula_d import qualifying, sky
from engine.formula_d.ending import next_round, places_of_those_out
from engine.formula_d.race import BUILD, QUALIFYING, RACE, RACING, entered
from engine.formula_d.table import Table


def begin(table: Table) -> None:
    """Roll what is due before the first turn, ask in the garage, and place the first car or all of them."""
    options = table.race["options"]
    if not options["qualifying"]:
        before_the_race(table)
        return
    if options["weather"]:
        sky.before_qualifying(table)
    if not garage(table, QUALIFYING):
        qualifying.next_car(table)


def before_the_race(table: Table) -> None:
    """W3, then the garage or the grid."""
    race = table.race
    if race["weather_told"] is not None:
        table.tell_all("weather", when="race", die=None, state=race["weather_told"])
    elif race["options"]["weather"]:
        sky.before_the_race(table)
    if not garage(table, RACE):
        to_the_grid(table)


def garage(table: Table, when: str) -> bool:
    """T1, Y5: ask the drivers for what their entries leave open. Return whether there are any."""
    seats = [seat for seat, car in entered(table.race) if car["status"] == RACING and {when, BUILD} & set(car["asks"])]
    if seats:
        table.tell_all("garage", when=when, seats=seats)
    return bool(seats)


def out_of_the_garage(table: Table) -> None:
    """Go on when all have decided."""
    race = table.race
    if race["left"]:
        return
    if race["when"] == RACE:
        to_the_grid(table)
    elif not qualifying.next_car(table):
        before_the_race(table)


def to_the_grid(table: Table) -> None:
    """Y3 or Q7: the grid, then the first round."""
    race = table.race
    seats = [seat for seat, car in entered(race) if car["status"] == RACING]
    if not seats:
        table.tell_all("over", places=places_of_those_out(race))
        return
    if race["options"]["qualifying"]:
        order, points = qualifying.grid(table, seats)
    else:
        order = rolled(table, seats) if race["grid"] == "roll" else seats
        points = [0] * len(order)
    table.tell_all("grid", order=order, points=points)
    next_round(table)


def rolled(table: Table, seats: Sequence[str]) -> list[str]:
    """Y3: each rolls a d20, the highest first; cars that tie roll again among themselves."""
    results = {seat: table.dice.black("grid") for seat in seats}
    places: list[str] = []
    for result in sorted(set(results.values()), reverse=True):
        level = [seat for seat in seats if results[seat] == result]
        places += rolled(table, level) if len(level) > 1 else level
    return places
