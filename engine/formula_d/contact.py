"""The dice at the end of a turn: collisions (K) and engines (E)."""

from __future__ import annotations

from engine.formula_d.facts import facts
from engine.formula_d.race import RACING, at, in_the_pits, wet
from engine.formula_d.table import Table


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
