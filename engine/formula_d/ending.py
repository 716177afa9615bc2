"""The end of a turn, of a round and of the race (C1, G6, K, E, O4, W4, R)."""

from __future__ import annotations

from collections.abc import Iterable

from engine.contract import Event, Json
from engine.formula_d.facts import facts
from engine.formula_d.race import FINISHED, OUT, RACING, Race, at, entered, in_the_pits, next_to_play, order, wet
from engine.formula_d.table import Table
from engine.formula_d.weather import at_the_end_of_a_round


def finish_car(table: Table) -> None:
    """Take a car off the track that has crossed the line for the last time, and give it its points (R1, R3)."""
    place = 1 + sum(car["status"] == FINISHED for car in table.race["cars"].values())
    table.add_event("finish", place=place, points=facts().race_points[place - 1])


def stops_now(table: Table) -> int:
    """Return the stops made in the corner where the turn ends; 0 outside corners and after an overshoot (C1, C8)."""
    track, turn = table.track, table.turn
    corner = track.corner[table.space]
    if not corner or turn["over"]:
        return 0
    same = track.corner[track.index[turn["space"]]] == corner
    return int(table.car["stops"]) + 1 if same else 1


def end_of_turn(table: Table, *, driven: bool = True) -> None:
    """Count the stop, roll the dice that are due, and end the turn. `driven` is false for a stalled car (Y4).

    A car that has finished or is out makes no stop. Its stops keep their last value.
    """
    turn = table.turn
    if table.is_racing:
        table.add_event("stop", stops=stops_now(table))
    if driven and table.is_racing:
        if turn["debris"]:
            table.debris()
        collisions(table)
    if turn["strain"] and not turn["pits"]:
        engines(table)
    table.add_event("done", points=0)
    go_on(table)


def go_on(table: Table) -> None:
    """End the round when no car is left to play in it. Then end the race or begin the next round (O4)."""
    race = table.race
    if next_to_play(race) is not None:
        return
    for seat, car in entered(race):
        if car["status"] == OUT and car["space"] is not None:
            table.add_event("cleared", seat=seat)
    if not any(car["status"] == RACING for car in race["cars"].values()):
        table.add_race_event("over", places=places_of_those_out(race))
        return
    at_the_end_of_a_round(table)
    next_round(table)


def next_round(table: Table) -> None:
    """Begin a new round and fix its order (O1)."""
    table.add_race_event("round", round=table.race["round"] + 1, order=order(table.race))


def places_of_those_out(race: Race) -> dict[str, int]:
    """Return the places of the cars that are out, all behind the finishers (R4).

    They are ranked by points after qualifying, else by distance. With teams and without qualifying they are equal.
    """
    behind = sum(car["status"] == FINISHED for car in race["cars"].values())

    def merit(seat: str) -> list[int]:
        car = race["cars"][seat]
        if race["options"]["qualifying"]:
            return [car["points"]]
        return [] if race["options"]["teams"] else list(car["distance"])

    merits = {seat: merit(seat) for seat, car in race["cars"].items() if car["status"] == OUT}
    return {seat: behind + 1 + sum(other > mine for other in merits.values()) for seat, mine in merits.items()}


# Collisions and engines (K, E) -------------------------------------------------------------------


def opponents(table: Table) -> list[str]:
    """Return the racing cars beside the car or ahead of it, in the order of the round (K1, K6)."""
    track, race, space = table.track, table.race, table.space
    if track.in_the_pits(space):
        return []
    near = {*track.beside[space], track.ahead[space]}
    cars = race["cars"]
    return [seat for seat in race["order"] if cars[seat]["status"] == RACING and at(race, cars[seat]) in near]


def collisions(table: Table) -> None:
    """Roll the collision dice: first each opponent, then the car against each of them (K2 to K5, W6)."""
    black = facts().black
    bad = black.collision_basic if table.basic else black.collision_wet if wet(table.race) else black.collision_dry
    found = opponents(table)  # K3: the car fails without rolling against an opponent that goes out by its own roll
    for rival in found:
        die = table.black(f"collision of {rival}")
        table.add_event("collision", seat=rival, die=die, rival=table.seat)
        if die <= bad:
            _hit(table, rival)
    for rival in found:
        if not table.is_racing:
            return
        if table.race["cars"][rival]["status"] == RACING:
            die = table.black(f"collision with {rival}")
            table.add_event("collision", die=die, rival=rival)
            if die > bad:
                continue
        _hit(table, table.seat)


def _hit(table: Table, seat: str) -> None:
    """Take a body WP and lay a marker (K4, K5). A car that loses its last one is out and stays where it is (X3)."""
    lost_last = table.lose("body", 1, "collision", seat)
    table.debris(seat)
    if lost_last:
        table.out("K5", "collision", stays=True, seat=seat)


def engines(table: Table) -> None:
    """Roll an engine die for every racing car on the track in a high gear (E1, E2, W6). A car that loses its last
    engine WP is out and is taken off (X2).
    """
    race, black = table.race, facts().black
    bad = black.engine_wet if wet(race) else black.engine_dry
    for seat in race["order"]:
        car = race["cars"][seat]
        if car["status"] != RACING or car["gear"] < facts().strain_gear or in_the_pits(race, car):
            continue
        die = table.black("engine", seat)
        table.add_event("engine", seat=seat, die=die)
        if die <= bad:
            lost_last = table.lose("engine", 1, "engine", seat)
            table.debris(seat)
            if lost_last:
                table.out("E2", "engine", stays=False, seat=seat)


def highlights(events: Iterable[Event]) -> dict[str, dict[str, Json]]:
    """Return what can be told of the race of each car beside its place: `boxes`, its stops in the box; `lap`, the turns
    of its fastest lap, None before the first is driven; `fastest`, that no other car drove a lap in fewer turns.

    A turn in which a car crosses the line belongs to the lap that ends there. The way from the grid to the line is no
    lap, and qualifying does not count.
    """
    turns: dict[str, int] = {}
    begun: dict[str, int] = {}
    laps: dict[str, list[int]] = {}
    boxes: dict[str, int] = {}
    for event in events:
        kind, seat = event["kind"], event.get("seat", "")
        if kind == "grid":
            turns, begun, laps, boxes = {}, {}, {}, {}
        elif kind == "turn":
            turns[seat] = turns.get(seat, 0) + 1
        elif kind == "box":
            boxes[seat] = boxes.get(seat, 0) + 1
        elif kind == "lap":
            if seat in begun:
                laps.setdefault(seat, []).append(turns[seat] - begun[seat])
            begun[seat] = turns[seat]
    best = {seat: min(driven) for seat, driven in laps.items()}
    first = min(best.values(), default=None)
    return {
        seat: {"boxes": boxes.get(seat, 0), "lap": best.get(seat), "fastest": seat in best and best[seat] == first}
        for seat in turns
    }
