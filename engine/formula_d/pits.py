"""In the box (P3, P6 to P8, P10): tyres, repairs, the pit die, the way out."""

from __future__ import annotations

from collections.abc import Mapping

from engine.contract import Json, RuleError
from engine.formula_d.facts import AREAS, TOTAL, facts
from engine.formula_d.movement.moving import checked_path, checked_price, drive, search_for
from engine.formula_d.movement.path_price import OUT, Search
from engine.formula_d.race import repair_left
from engine.formula_d.table import Table


def refill(table: Table) -> None:
    """Refill all WP in the basic game, the tire WP in the advanced game (P6)."""
    area = TOTAL if table.basic else "tires"
    lost = table.car["full"][area] - table.car["wp"][area]
    if lost:
        table.add_event("repair", area=area, number=lost, points=0)


def tyres_chosen(table: Table, decisions: Mapping[str, Json]) -> str:
    """Return the kind of tyres with which the car leaves the box (T6).

    Raises: RuleError when this race has no choice of tyres, or there is no such kind.
    """
    kind = decisions.get("tyres")
    if kind is None:
        return str(table.car["tyres"])
    if not table.race["options"]["tyres"]:
        raise RuleError("T6", "tyres are not chosen in this race")
    if kind not in facts().tyres.kinds:
        raise RuleError("T6", "tyres are hard, soft or wet")
    return str(kind)


def repairs_chosen(table: Table, technical: Json) -> dict[str, int]:
    """Return the WP that a technical stop gives back, by area (P10).

    Raises: RuleError when this race has no technical stops, or the repairs are illegal.
    """
    if not table.race["options"]["technical_pit"]:
        raise RuleError("P10", "there are no technical stops in this race")
    if not isinstance(technical, Mapping):
        raise RuleError("P10", "repairs are numbers by area")
    for area, number in technical.items():
        if area not in AREAS or area == "tires":
            raise RuleError("P10", "brakes, gearbox, body, engine and road holding are repaired, nothing else")
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise RuleError("P10", "a repair is a whole number of wear points")
        if table.car["wp"][area] + number > table.car["full"][area]:
            raise RuleError("P10", "nothing is repaired above its first number of wear points")
    points = sum(technical.values())
    if points > min(facts().repair, repair_left(table.race, table.seat)):
        raise RuleError("P10", "not so many repair points")
    return {area: number for area, number in technical.items() if number}


def carry_out_box_decisions(table: Table, decisions: Json) -> None:
    """Carry out the decisions in the box (advanced game), and the technical stop or the pit die after them.

    Raises: RuleError when the decisions are illegal.
    """
    if not isinstance(decisions, Mapping):
        raise RuleError("P6", "decisions in the box are named")
    kind = tyres_chosen(table, decisions)
    technical = decisions.get("technical")
    repairs = None if technical is None else repairs_chosen(table, technical)
    refill(table)
    table.add_event("tyres", tyres=kind)
    if repairs is not None:
        for area, number in repairs.items():
            table.add_event("repair", area=area, number=number, points=number)
        table.add_event("pit", result="technical", die=None)
        return
    die = table.black("pit")
    if die <= facts().pit_fast:
        spaces = -(-die // facts().pit_divisor)
        table.add_event("pit", result="fast", die=die, spaces=spaces, gear=facts().pit_gear)
        table.phase("out")
    else:
        table.add_event("pit", result="slow", die=die)


def way_out(table: Table) -> Search:
    """Return the search for the movement out of the box after a fast stop (P7)."""
    return search_for(table, OUT)


def leave(table: Table, path: Json) -> None:
    """Drive out of the box (P7).

    Raises: RuleError when there was no fast stop, or the path is not the way out.
    """
    if table.turn["phase"] != "out":
        raise RuleError("P7", "the way out belongs to a fast stop")
    if path is None:
        raise RuleError("P7", "after a fast stop the car drives out of its box")
    search = way_out(table)
    spaces = checked_path(search.drive, path)
    drive(table, spaces, checked_price(search, spaces[-1]))


def choices(table: Table) -> list[dict[str, Json]]:
    """Return all decisions that the car may take in its box (T6, P10)."""
    options, car = table.race["options"], table.car
    kinds = facts().tyres.kinds if options["tyres"] else (None,)
    repairs: list[dict[str, int] | None] = [None]
    if options["technical_pit"]:
        lost = {area: car["full"][area] - car["wp"][area] for area in AREAS if area != "tires"}
        most = min(facts().repair, repair_left(table.race, table.seat))
        repairs += _repairs(lost, most)
    found = []
    for kind in kinds:
        for repair in repairs:
            decisions: dict[str, Json] = {} if kind is None else {"tyres": kind}
            found.append(decisions if repair is None else {**decisions, "technical": repair})
    return found


def _repairs(lost: Mapping[str, int], most: int) -> list[dict[str, int]]:
    """Return every way to give back at most so many WP (P10)."""
    found: list[dict[str, int]] = [{}]
    for area, number in lost.items():
        found += [
            {**some, area: given}
            for some in found
            for given in range(1, number + 1)
            if sum(some.values()) + given <= most
        ]
    return found
