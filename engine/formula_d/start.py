"""Before the first turn (A2): weather, qualifying, the grid, the first round."""

from __future__ import annotations

from collections.abc import Sequence

from engine.formula_d import qualifying, weather
from engine.formula_d.ending import next_round, places_of_those_out
from engine.formula_d.race import BUILD, QUALIFYING, RACE, RACING, entered
from engine.formula_d.table import Table


def begin(table: Table) -> None:
    """Play everything before the first decision: dice, the garage, and the first car of qualifying or the grid."""
    options = table.race["options"]
    if not options["qualifying"]:
        before_the_race(table)
        return
    if options["weather"]:
        weather.before_qualifying(table)
    if not open_garage(table, QUALIFYING):
        qualifying.next_car(table)


def before_the_race(table: Table) -> None:
    """Set the weather of the race (W3), then open the garage or fill the grid."""
    race = table.race
    if race["weather_told"] is not None:
        table.add_race_event("weather", when="race", die=None, state=race["weather_told"])
    elif race["options"]["weather"]:
        weather.before_the_race(table)
    if not open_garage(table, RACE):
        to_the_grid(table)


def open_garage(table: Table, when: str) -> bool:
    """Open the garage for the drivers whose entries leave decisions open (T1, Y5). Return whether there are any."""
    seats = [seat for seat, car in entered(table.race) if car["status"] == RACING and {when, BUILD} & set(car["asks"])]
    if seats:
        table.add_race_event("garage", when=when, seats=seats)
    return bool(seats)


def out_of_the_garage(table: Table) -> None:
    """Continue with qualifying or the race when all drivers in the garage have decided."""
    race = table.race
    if race["left"]:
        return
    if race["when"] == RACE:
        to_the_grid(table)
    elif not qualifying.next_car(table):
        before_the_race(table)


def to_the_grid(table: Table) -> None:
    """Place the cars on the grid (Y3 or Q7) and begin the first round; end the race when no car is left."""
    race = table.race
    seats = [seat for seat, car in entered(race) if car["status"] == RACING]
    if not seats:
        table.add_race_event("over", places=places_of_those_out(race))
        return
    if race["options"]["qualifying"]:
        order, points = qualifying.grid(table, seats)
    else:
        order = roll_grid(table, seats) if race["grid"] == "roll" else seats
        points = [0] * len(order)
    table.add_race_event("grid", order=order, points=points)
    next_round(table)


def roll_grid(table: Table, seats: Sequence[str]) -> list[str]:
    """Return the grid by dice (Y3): each car rolls a d20, the highest first. Cars that tie roll again."""
    results = {seat: table.dice.black("grid") for seat in seats}
    places: list[str] = []
    for result in sorted(set(results.values()), reverse=True):
        level = [seat for seat in seats if results[seat] == result]
        places += roll_grid(table, level) if len(level) > 1 else level
    return places
