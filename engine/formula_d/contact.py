"""The dice at the end of a turn: collisions (K) and engines (E)."""

from __future__ import annotations

from engine.formula_d.facts import facts
from engine.formula_d.race import RACING, at, in_the_pits, wet
from engine.formula_d.table import Table


def opponents(table: Table) -> list[str]:
    """K1, K6: the racing cars beside the car's space or ahead of it, in the order of the round."""
    field, race, space = table.track, table.race, table.space
    if field.in_the_pits(space):
        return []
    near = {*field.beside[space], field.ahead[space]}
    cars = race["cars"]
    return [seat for seat in race["order"] if cars[seat]["status"] == RACING and at(race, cars[seat]) in near]


def collisions(table: Table) -> None:
    """K2 to K5, W6: each opponent rolls, then the car against each of them."""
    black = facts().black
    bad = black.collision_basic if table.basic else black.collision_wet if wet(table.race) else black.collision_dry
    found = opponents(table)  # K3: against one that goes out by its own roll the car fails without rolling
    for rival in found:
        die = table.black(f"collision of {rival}")
        table.tell("collision", seat=rival, die=die, rival=table.seat)
        if die <= bad:
            _hit(table, rival)
    for rival in found:
        if not table.races:
            return
        if table.race["cars"][rival]["status"] == RACING:
            die = table.black(f"collision with {rival}")
            table.tell("collision", die=die, rival=rival)
            if die > bad:
                continue
        _hit(table, table.seat)


def _hit(table: Table, seat: str) -> None:
    """K4, K5: a body WP and a marker. X3: the last one puts the car out where it stands."""
    gone = table.lose("body", 1, "collision", seat)
    table.debris(seat)
    if gone:
        table.out("K5", "collision", stays=True, seat=seat)


def engines(table: Table) -> None:
    """E1, E2, W6: every racing car on the track in a high gear rolls. X2: the last engine WP takes the car off."""
    race, black = table.race, facts().black
    bad = black.engine_wet if wet(race) else black.engine_dry
    for seat in race["order"]:
        car = race["cars"][seat]
        if car["status"] != RACING or car["gear"] < facts().strain_gear or in_the_pits(race, car):
            continue
        die = table.black("engine", seat)
        table.tell("engine", seat=seat, die=die)
        if die <= bad:
            gone = table.lose("engine", 1, "engine", seat)
            table.debris(seat)
            if gone:
                table.out("E2", "engine", stays=False, seat=seat)
