"""All legal ways to go on in each phase of a turn, with their prices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.contract import Json, RuleError, Way, Ways
from engine.formula_d import gears, pits, turn
from engine.formula_d.facts import AREAS, facts
from engine.formula_d.movement.moving import checked_path, search_for
from engine.formula_d.movement.path_price import LAP, MOVE, OUT, SLIP, PathPrice, Search
from engine.formula_d.movement.reach import layers
from engine.formula_d.movement.reach import path as path_of
from engine.formula_d.movement.walk import PathPosition, begin
from engine.formula_d.phases import PASS, phase_of
from engine.formula_d.race import BUILD, GARAGE, QUALIFYING, Race, next_to_play
from engine.formula_d.table import Drawn, Table


class NoChance:
    """A chance that refuses every draw, because computing choices must not draw."""

    def number(self, what: str, ends: int, *, by: str = "run") -> int:
        """Refuse the draw with an AssertionError."""
        raise AssertionError(what)


def table_of(race: Race, seat: str) -> Table:
    """Return a table that cannot roll dice."""
    return Table(race, seat, Drawn(NoChance()))


def choices(race: Race, seat: str, draft: Json) -> Ways:
    """Return the ways to go on for a car. The draft of a path is the list of its spaces so far.

    Raises: RuleError when it is not this car's turn, or the draft is illegal.
    """
    due = phase_of(race)
    if due == GARAGE:
        return _garage(race, seat)
    if next_to_play(race) != seat:
        raise RuleError("O1", "it is not this car's turn")
    table = table_of(race, seat)
    if due == turn.GEAR:
        return Ways(due, tuple(_gears(table)))
    if due == turn.PIT:
        found = pits.choices(table)
        return Ways(due, tuple(Way(_pit_text(one), {"do": due, **one}, {"repair": one}) for one in found))
    return _movement(table, due, [] if draft is None else draft)


def _garage(race: Race, seat: str) -> Ways:
    """Return a way for each kind of tyres (T1). The facts hold the limits of a build (Y5)."""
    if seat not in race["left"]:
        raise RuleError("O1", "there is nothing to decide in the garage")
    car, options = race["cars"][seat], race["options"]
    kinds = facts().tyres.kinds if options["tyres"] else (None,)
    given = {"build": car["wp"], **({"repair": car["repair"]} if options["technical_pit"] else {})}
    build: dict[str, Json] = given if BUILD in car["asks"] else {}
    ways = (
        Way(kind or "standard", {"do": GARAGE, **({"tyres": kind} if kind else {}), **build}, {"tyres": kind})
        for kind in kinds
    )
    limits = {"areas": list(AREAS), "sum": facts().build_with_repair if options["technical_pit"] else facts().build}
    return Ways(GARAGE, tuple(ways), facts=limits if build else {})


def _gears(table: Table) -> Iterator[Way]:
    """Yield the gears that may be chosen, with their prices (G, P8, Q2)."""
    for gear, faces in facts().gears.items():
        try:
            if table.race["stage"] == QUALIFYING:
                gears.climb(table.car["gear"], gear)
                price: Mapping[str, int] = {}
            else:
                price = gears.price(table.race, table.car, gear)
        except RuleError:
            continue
        yield Way(
            str(gear), {"do": turn.GEAR, "gear": gear}, {"price": dict(price), "least": faces[0], "most": faces[-1]}
        )


def _pit_text(decisions: Mapping[str, Any]) -> str:
    repair = decisions.get("technical")
    words = [str(decisions.get("tyres", ""))] if "tyres" in decisions else []
    words += ["stop"] if repair is None else ["technical", *(f"{area} {number}" for area, number in repair.items())]
    return " ".join(words)


def _movement(table: Table, due: str, draft: Json) -> Ways:
    """Return the ends of the movement with their prices, and the possible next spaces of the draft (M, S, P7)."""
    ways: list[Way] = []
    onward: dict[str, None] = {}
    refused: RuleError | None = None
    for search, extras in _searches(table, due):
        try:
            start = checked_path(search.drive, draft)[-1]
        except RuleError as error:
            refused = refused or error
            continue
        found = _ends(search, start, due, extras, list(draft))
        ways += found
        onward |= dict.fromkeys(way.orders["path"][len(draft)] for way in found if len(way.orders["path"]) > len(draft))
    if refused and not ways:
        raise refused
    if due == turn.SLIP and not draft:
        ways.append(Way(PASS, {"do": PASS}))
    return Ways(
        due, tuple(ways), facts={"next": list(onward), "count": table.turn["count"], "bonus": table.turn["bonus"]}
    )


def _searches(table: Table, due: str) -> Iterator[tuple[Search, dict[str, Json]]]:
    """Yield the possible movements: plain, with nitro (N1), with the tyre bonus (T3, S7), with both."""
    if due == turn.OUT:
        yield search_for(table, OUT), {}
        return
    race, car, turning = table.race, table.car, table.turn
    kind = SLIP if due == turn.SLIP else LAP if race["stage"] == QUALIFYING else MOVE
    may = kind == MOVE and race["options"]["nitro"] and car["nitro"] and not turning["great"]
    bonus = 0 if turning["great"] else turning["bonus"]
    for nitro in (0, car["gear"]) if may else (0,):
        for more in (0, bonus) if bonus else (0,):
            extras = {**({"nitro": True} if nitro else {}), **({"bonus": True} if more else {})}
            yield search_for(table, kind, more=nitro + more), extras


def _ends(search: Search, start: PathPosition, due: str, extras: Mapping[str, Json], draft: Sequence[str]) -> list[Way]:
    """Return the ends of one movement that continue a draft: one way for each end and price, by the first path."""
    here = search.layers if start == begin(search.drive) else layers(search.drive, start)
    names = search.drive.track.spaces
    best: dict[tuple[int, PathPrice, int], tuple[PathPosition, int]] = {}
    for layer in here:
        for at, trace in layer.items():
            if due == turn.SLIP and not at.driven:
                continue
            for price in search.prices(at):
                key = (at.space, price, at.markers)
                known = best.get(key)
                best[key] = (known[0], known[1] + trace.paths) if known else (at, trace.paths)
    ways = []
    for (space, price, markers), (at, paths) in best.items():
        path = [*draft, *(names[one] for one in path_of(here, at))]
        orders: dict[str, Json] = {"do": due, "path": path, **extras}
        if price.tires:
            orders["tires"] = price.tires
        does = {
            "to": names[space],
            "driven": at.driven,
            "markers": markers,
            "paths": paths,
            **extras,
            **price._asdict(),
        }
        ways.append(Way(" ".join([names[space], *extras, *_priced(price, markers)]), orders, does))
    return ways


def _priced(price: PathPrice, markers: int) -> list[str]:
    """Return the parts of the price that are not zero, as short texts."""
    words = [f"{name} {number}" for name, number in price._asdict().items() if number and name != "spin"]
    return [*words, *(["spin"] if price.spin else []), *([f"markers {markers}"] if markers else [])]
