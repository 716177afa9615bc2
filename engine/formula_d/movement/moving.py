"""Carry out a movement (M): check and drive the path, roll its marker dice (D), pay its price (C3, C6, B1, B3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from engine.contract import Json, RuleError
from engine.formula_d.facts import facts
from engine.formula_d.movement.path_price import (
    LAP,
    MOVE,
    NO_NUMBER,
    OUT,
    SLIP,
    BrokenRule,
    Budget,
    PathPrice,
    Search,
    price_or_broken_rule,
)
from engine.formula_d.movement.reach import path as path_of
from engine.formula_d.movement.walk import Drive, PathPosition, after_step, begin, broken_rule
from engine.formula_d.race import QUALIFYING, factor, reads, taken, wet
from engine.formula_d.table import Table
from engine.formula_d.track import NOWHERE

_WHY = {
    "M1": "space %(n)d of the path is not next to the one before",
    "M2": "space %(n)d of the path is taken",
    "M3": "space %(n)d of the path is not on a shortest way along the straight",
    "M5": "the path goes on after its end at space %(n)d",
    "M6": "space %(n)d of the path is beyond the count",
    "P1": "space %(n)d of the path: the pit lane is closed",
    "P2": "space %(n)d of the path is not the way through the pit lane",
    "C5": "space %(n)d of the path leaves the lane while overshooting",
}
_ENDS = {
    "C4": "the path leaves a corner with too many stops missing",
    "C3": "too few wear points for the overshoot",
    "B1": "too few wear points for braking",
    "B3": "no emergency braking here",
    "B4": "not so many tyre points for braking",
    "N2": "nitro and tyre bonus are driven in full",
    "P7": "the way out is driven in full",
    "Q4": "there is no braking in qualifying",
    "S5": "no brake point left for a slipstream into a corner",
}


def drive_for(table: Table, kind: str, count: int) -> Drive:
    """Return the movement that a car makes from its current space (M1, T2, W7). `kind` is a kind of `path_price`."""
    race, car, track = table.race, table.car, table.track
    alone = kind == LAP
    begun = track.index[table.turn["space"]]
    slides = wet(race) and not table.turn["slid"]
    laps = 1 if alone else race["options"]["laps"]
    marked = frozenset(filter(table.takes_markers, (track.index[space] for space in race["markers"])))
    return Drive(
        track,
        table.space,
        count,
        stops=car["stops"] if track.corner[begun] == track.corner[table.space] else 0,
        taken=frozenset() if alone else taken(race, but=table.seat),
        lap=car["lap"],
        laps=laps,
        slide=facts().tyres.slide[car["tyres"]] if slides else 0,
        box=NOWHERE if alone else track.boxes[car["box"]],
        boxed=car["boxed"],
        pits=kind == MOVE and laps > 1,
        fast=kind == OUT,
        qualifying=alone,
        marked=marked,
        obstacles=marked if reads(race, "detours") else frozenset(),
    )


def search_for(table: Table, kind: str, *, more: int = 0) -> Search:
    """Return the search for the movement that begins now. `more` are the spaces of nitro and tyre bonus (N2)."""
    rate = 1 if table.basic else factor(table.race, table.car)
    spaces = facts().slip_spaces if kind == SLIP else table.turn["count"]
    budget = Budget(kind, dict(table.car["wp"]), rate, more > 0)
    return Search(drive_for(table, kind, spaces + more), budget)


def checked_path(drive: Drive, path: Json, start: PathPosition | None = None) -> list[PathPosition]:
    """Return the position after each step of an ordered path, the start included.

    Raises: RuleError for the first illegal space, with the rule it breaks.
    """
    spaces = [start or begin(drive)]
    for name in path if isinstance(path, list | tuple) else [path]:
        to = drive.track.index.get(name, NOWHERE) if isinstance(name, str) else NOWHERE
        rule = broken_rule(drive, spaces[-1], to)
        if rule is not None:
            number = len(spaces)
            raise RuleError(rule, _WHY[rule], move=number, n=number)
        spaces.append(after_step(drive, spaces[-1], to))
    return spaces


def checked_price(search: Search, at: PathPosition, tires: Json = None) -> PathPrice:
    """Return the price of a path. `tires` are the tire WP ordered for braking (B3).

    Raises: RuleError when the path cannot end here.
    """
    number = 0 if tires is None else tires if isinstance(tires, int) and not isinstance(tires, bool) else NO_NUMBER
    price = price_or_broken_rule(search, at, number)
    if isinstance(price, BrokenRule):
        raise RuleError(price.rule, _ENDS[price.rule])
    return price


def drive(table: Table, spaces: Sequence[PathPosition], price: PathPrice) -> None:
    """Drive a checked path, roll its marker dice and pay for it. A car that goes out at a marker pays nothing (D3)."""
    if not step_by_step(table, spaces, markers=table.race["stage"] != QUALIFYING):
        return
    if spaces[-1].over:
        _pay_overshoot(table, spaces[-1].over, price)
    if price.brakes:
        table.lose("brakes", price.brakes, "brake")
    if price.tires:
        table.lose("tires", price.tires, "brake")
    if price.slip:
        table.lose("brakes", price.slip, "slipstream")


def _pay_overshoot(table: Table, spaces: int, price: PathPrice) -> None:
    """Pay for an overshoot (C3, C6). In qualifying it costs points instead of WP (Q4)."""
    table.add_event("overshoot", spaces=spaces, price=price.overshoot)
    if table.race["stage"] == QUALIFYING:
        return
    table.lose("tires", price.overshoot, "overshoot")
    if price.spin:
        table.add_event("spin", tires=facts().after_spin)


def step_by_step(table: Table, spaces: Sequence[PathPosition], *, markers: bool) -> bool:
    """Drive a path without paying. Return whether the car still races at its end."""
    if spaces[0].slid:
        table.add_event("slide")
    for before, at in pairwise(spaces):
        table.add_event("step", space=table.track.spaces[at.space])
        if at.lap > before.lap:
            table.add_event("lap")
        if at.slid and not before.slid:
            table.add_event("slide")
        if markers and not at.ended and not _survives_marker(table):
            return False
    return True


def _survives_marker(table: Table) -> bool:
    """Roll the die for a marker on the space just entered (D2, D3, W6). Return whether the car still races."""
    space = table.car["space"]
    if space not in table.race["markers"] or not table.takes_markers(table.space):
        return True
    black = facts().black
    die = table.black(f"marker {space}")
    lost = die <= (black.marker_wet if wet(table.race) else black.marker_dry)
    table.add_event("marker", space=space, die=die, lost=lost)
    if lost and table.lose("road", 1, "road"):
        table.out("D3", "road", stays=False)
        return False
    return True


def put_out_without_path(table: Table, search: Search) -> None:
    """Put out a car that has no legal path (M7). A blocked car drives as far as it can and stays there (X3). Any other
    car is taken off the track (X1).
    """
    begun = list(table.turn["position"])
    if not search.blocked:
        table.out("M7", "corner", stays=False, distance=begun)
        return
    spaces = retraced(search.drive, path_of(search.layers, search.farthest))
    step_by_step(table, spaces, markers=False)
    table.out("M7", "blocked", stays=True, distance=begun)
    table.debris()


def retraced(drive: Drive, path: Iterable[int]) -> list[PathPosition]:
    """Return the position after each step of a legal path, the start included."""
    spaces = [begin(drive)]
    for to in path:
        spaces.append(after_step(drive, spaces[-1], to))
    return spaces
