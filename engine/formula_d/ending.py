"""The end of a turn, of a round and of the race (C1, G6, K, E, O4, W4, R)."""

from __future__ import annotations

from engine.formula_d.contact import collisions, engines
from engine.formula_d.facts import facts
from engine.formula_d.race import FINISHED, OUT, RACING, Race, entered, next_to_play, order
from engine.formula_d.sky import at_the_end_of_a_round
from engine.formula_d.table import Table


def finished(table: Table) -> None:
    """R1, R3: the car crosses the line for the last time and leaves the track."""
    place = 1 + sum(car["status"] == FINISHED for car in table.race["cars"].values())
    table.tell("finish", place=place, points=facts().race_points[place - 1])


def stops_now(table: Table) -> int:
    """C1, C8: the stops made in the corner where the turn ends; 0 elsewhere and after overshooting."""
    field, turn = table.track, table.turn
    corner = field.corner[table.space]
    if not corner or turn["over"]:
        return 0
    same = field.corner[field.index[turn["space"]]] == corner
    return int(table.car["stops"]) + 1 if same else 1


def end_of_turn(table: Table, *, driven: bool = True) -> None:
    """Count the stop, roll the dice that are due, and go on to the next car. `driven` is false for a stalled car (Y4).

    A car that has left the race or the track makes no stop: its stops stay as they were last counted.
    """
    turn = table.turn
    if table.races:
        table.tell("stop", stops=stops_now(table))
    if driven and table.races:
        if turn["debris"]:
            table.debris()
        collisions(table)
    if turn["strain"] and not turn["pits"]:
        engines(table)
    table.tell("done", points=0)
    go_on(table)


def go_on(table: Table) -> None:
    """O4: where no car is left to play in the round, end it; then the race is over, or the next round begins."""
    race = table.race
    if next_to_play(race) is not None:
        return
    for seat, car in entered(race):
        if car["status"] == OUT and car["space"] is not None:
            table.tell("cleared", seat=seat)
    if not any(car["status"] == RACING for car in race["cars"].values()):
        table.tell_all("over", places=places_of_those_out(race))
        return
    at_the_end_of_a_round(table)
    next_round(table)


def next_round(table: Table) -> None:
    """O1: fix the order of a new round."""
    table.tell_all("round", round=table.race["round"] + 1, order=order(table.race))


def places_of_those_out(race: Race) -> dict[str, int]:
    """R4: places behind all finishers, by points of qualifying, else by distance, in teams all equal."""
    behind = sum(car["status"] == FINISHED for car in race["cars"].values())

    def merit(seat: str) -> list[int]:
        car = race["cars"][seat]
        if race["options"]["qualifying"]:
            return [car["points"]]
        return [] if race["options"]["teams"] else list(car["distance"])

    gone = {seat: merit(seat) for seat, car in race["cars"].items() if car["status"] == OUT}
    return {seat: behind + 1 + sum(other > mine for other in gone.values()) for seat, mine in gone.items()}
