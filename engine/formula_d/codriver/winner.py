"""The decisions of a driver that only wants to win: its outlook in the race, and the price of going out."""

from __future__ import annotations

from dataclasses import replace
from math import exp, fsum, log, sqrt

from engine.formula_d.codriver.cost_tables import LapTables
from engine.formula_d.codriver.manner import Manner, neutral_manner, race_means
from engine.formula_d.codriver.race_outlook import RaceOutlook
from engine.formula_d.codriver.turn_costs import TurnCosts, tables_of_car
from engine.formula_d.race import FINISHED, RACE, RACING, Car, Race, at, track_of
from engine.formula_d.table import Table
from engine.formula_d.track import BOX

_GAIN_OF_BEST = 0.7
"""How much faster the likely winner of several equal rivals is than one of them, in deviations: this times the log of
their number."""
_SPREAD_OF_DIFFERENCE = 1.17
"""The deviation of the difference to the likely winner, divided by the deviation of one car. That of the winner is
smaller."""
_LEAST_OUT, _MOST_OUT = 1.0, 12.0
"""The lowest and the highest price of going out, in turns."""


def turn_costs_of(table: Table, driver: Manner) -> TurnCosts:
    """Return the costs of a driver: by its own weights, or by its chance to be first when it only wants to win."""
    outlook = race_outlook(table.race, table.seat) if driver.only_wants_to_win else None
    if outlook is None:
        return TurnCosts(table, driver)
    weighs = replace(driver, out=max(_LEAST_OUT, min(outlook.out_price, _MOST_OUT)))
    return TurnCosts(table, weighs, tables_of_car(table.race, table.car, driver), outlook)


def race_outlook(race: Race, seat: str) -> RaceOutlook | None:
    """Return the outlook of a car. None outside the race, when a car has finished, and when no other car races."""
    cars = race["cars"]
    others = [name for name, car in cars.items() if car["status"] == RACING and name != seat]
    if race["stage"] != RACE or not others or any(car["status"] == FINISHED for car in cars.values()):
        return None
    tables = tables_of_car(race, cars[seat], neutral_manner())
    total, waiting = int(race["options"]["laps"]), set(race["left"])

    def rounds(name: str) -> float:
        """Return the rounds until a car finishes. The current round counts as one more for a car that has already
        played in it.
        """
        lap = tables[max(0, min(len(tables) - 1, total - cars[name]["lap"]))]
        return _turns(race, lap, cars[name]) + (name not in waiting)

    mine, theirs = rounds(seat), [rounds(name) for name in others]
    spread = race_means().spread * sqrt(max(1.0, mine))
    soft, nearest = _GAIN_OF_BEST * spread, min(theirs)
    first = nearest - soft * log(fsum(exp((nearest - one) / soft) for one in theirs))
    return RaceOutlook(mine, first + race_means().drag * mine, _SPREAD_OF_DIFFERENCE * spread)


def _turns(race: Race, lap: LapTables, car: Car) -> float:
    """Return the mean turns that a car still needs, with the best gear that it may choose next."""
    track, space = track_of(race), at(race, car)
    missing = max(0, track.stops[space] - car["stops"]) if track.corner[space] else 0
    rows = lap.rows(lap.layout.box if track.kind[space] == BOX else space, missing)
    if rows is None:
        return lap.mean_turns(space)
    most = 1 if car["spun"] else car["gear"] + 1
    return min(row[lap.rules.index_of(car["wp"])] for row in rows[:most])
