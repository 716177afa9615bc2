"""Turns of Formula D as questions (engine/contract/puzzles.py): which gear, which way to drive, whether to slipstream,
what to do in the box.

The values are the ledger's (ledger/): the turns to the flag to expect, those driven included, when the neutral driver
goes on. They are in `prepared`, way by way, so an answer needs no table of costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from engine.contract import Json, Orders, RuleError, State
from engine.contract.puzzles import Question, Scale, Weighed
from engine.formula_d import odds, pits, turn
from engine.formula_d.choices import table_of
from engine.formula_d.codriver.decisions import ends_of, stay_cost
from engine.formula_d.codriver.manner import neutral_manner
from engine.formula_d.codriver.pitwall import box_costs
from engine.formula_d.codriver.turn_costs import TurnCosts
from engine.formula_d.ledger import TURNS
from engine.formula_d.ledger.values import risk_ahead
from engine.formula_d.movement.moving import checked_path, checked_price, search_for
from engine.formula_d.movement.path_price import MOVE, SLIP, PathPrice
from engine.formula_d.movement.walk import PathPosition
from engine.formula_d.phases import PASS, phase_of
from engine.formula_d.race import RACE, Race, next_to_play
from engine.formula_d.table import Table
from engine.ledger import rounded

VERSION = "1"
CORNER, LOWER, HIGHER, PITS, BRAKING, OVERSHOOT, STOP, NITRO, FOLLOW, LEAVE, LANE, BOX, HOLD, ON = THEMES = (
    *("gear of the corner", "a gear lower", "a gear higher", "pit or not", "braking", "overshoot"),
    *("stop in the corner", "nitro", "slipstream", "leave the slipstream", "another lane", "work in the box"),
    *("hold back", "go further"),
)
SCALE = Scale(TURNS, equal=2, least=10, share=50, ways=6)
"""One race in four or five has a turn whose best way beats every other one by that share (docs/puzzles.md)."""
OUT, OVER, STOPS = "out", "overshoot", "stop"
"""Chances of a gear: to go out in this turn, to overshoot a corner, to stop in one."""
CHANCES = (STOPS, OVER, OUT)
FAIR_RISK = 1 / 3
"""The chance to overshoot or go out that a driver who looks no further takes."""
PER_MILLE = 1000
NOT_ASKED = RuleError("A1", "that is not the question here")
Key = tuple[int, ...]
"""What tells the ends of a movement apart by their value."""


class _Way(NamedTuple):
    """A way with its value in hundredths. `far`: how far it leads, `risk`: the chance to overshoot or go out, `wear`:
    the points that it costs, `themes`: what it has to do with.
    """

    value: int
    orders: dict[str, Json]
    far: tuple[int, ...]
    risk: float
    wear: float
    themes: frozenset[str] = frozenset()
    chances: Mapping[str, int] = {}

    @property
    def gear(self) -> int:
        """The gear that is chosen; 0 in a way that chooses none."""
        return int(str(self.orders.get("gear", 0)))

    def weighed(self) -> Weighed:
        return Weighed(self.orders, self.value, dict(self.chances))


def question(race: State, seat: str) -> Question | None:
    """Return what can be asked of the car; None where nothing can be chosen, and in steps without values."""
    if not _is_asked(race, seat):
        return None
    due = phase_of(race)
    every = sorted(_WAYS[due](_costs(race, seat)), key=lambda way: way.value)
    if len(every) < 2:
        return None
    best, obvious = every[0], None if due == turn.PIT else _obvious(every, race["cars"][seat]["gear"])
    second = next((way for way in every if way.value - best.value > SCALE.equal), None)
    return Question(
        best=best.weighed(),
        second=None if second is None else second.weighed(),
        obvious=None if obvious is None else obvious.weighed(),
        ways=len({way.value for way in every}),
        themes=(BOX,) if obvious is None else tuple(_themes(due, best, obvious)),
    )


def prepared(race: State, seat: str) -> Json:
    """Return the value of each way of the car, by its key."""
    if not _is_asked(race, seat):
        return None
    return _PREPARED[phase_of(race)](_costs(race, seat))


def weighed(race: State, seat: str, orders: Orders, prepared: Json = None) -> Weighed:
    """Return what orders are worth.

    Raises: RuleError when they are illegal, or when they are not about what is asked.
    """
    due, do = phase_of(race), orders.get("do")
    if not _is_asked(race, seat) or (do != due and (do, due) != (PASS, turn.SLIP)):
        raise NOT_ASKED
    table = table_of(race, seat)
    if table.race["turn"] is None:
        table.add_event("turn", bonus=turn.bonus_of(table))
    key, clean = _READ[due](table, orders)
    rows = prepared if isinstance(prepared, list) else _PREPARED[due](_costs(race, seat))
    value, chances = next(((row[1], row[2]) for row in rows if row[0] == key), (None, {}))
    if value is None:
        raise NOT_ASKED
    return Weighed(clean, value, chances)


def _is_asked(race: State, seat: str) -> bool:
    """Return whether the car is to play a step that has values: in the race, after its start die (Y4)."""
    if race["stage"] != RACE or next_to_play(race) != seat or phase_of(race) not in _WAYS:
        return False
    return phase_of(race) != turn.GEAR or not (turn.start_die_is_due(table_of(race, seat)) or _great(race))


def _great(race: Race) -> bool:
    return bool(race["turn"] and race["turn"]["great"])


def _costs(race: Race, seat: str) -> TurnCosts:
    return TurnCosts(table_of(race, seat), neutral_manner())


def _before(costs: TurnCosts) -> float:
    """Return what comes to the cost of an end: the turns driven, this one, the risk that others bring."""
    return float(costs.car["turns"]) + 1.0 + risk_ahead(costs)


# Gears --------------------------------------------------------------------------------------------


def _gears(costs: TurnCosts) -> list[_Way]:
    """Return a way for each gear that can be chosen, with the mean over its faces."""
    base = rounded(_before(costs) - 1.0)
    return [_gear(base, told) for told in odds.gears(costs)]


def _gear(base: int, told: Mapping[str, Any]) -> _Way:
    chances = {name: round(PER_MILLE * told[name][0] / told[name][1]) for name in CHANCES}
    risk = sum(told[name][0] / told[name][1] for name in (OVER, OUT))
    wear = sum(number / of for number, of in told["wear"].values())
    return _Way(
        base + told["hundredths"],
        {"do": turn.GEAR, "gear": told["gear"]},
        (told["gear"],),
        risk,
        wear,
        frozenset({CORNER} if chances[STOPS] or chances[OVER] else ()),
        chances,
    )


def _prepared_gears(costs: TurnCosts) -> list[Any]:
    return [[way.orders["gear"], way.value, dict(way.chances)] for way in _gears(costs)]


def _read_gear(table: Table, orders: Orders) -> tuple[Any, dict[str, Json]]:
    turn.check_gear(table, orders)
    return orders["gear"], {"do": turn.GEAR, "gear": orders["gear"]}


# Movements ----------------------------------------------------------------------------------------


def _key(on: PathPosition, price: PathPrice, words: Mapping[str, Json]) -> Key:
    extras = (bool(words.get("nitro")), bool(words.get("bonus")))
    return tuple(
        int(each) for each in (on.space, on.lap, on.over > 0, on.ended, on.markers, on.slid, *price, *extras, on.driven)
    )


def _movements(costs: TurnCosts) -> list[_Way]:
    """Return a way for each end of the movement that is due; in a slipstream also the one that leaves it."""
    due, base, track, found = phase_of(costs.race), _before(costs), costs.track, dict[Key, _Way]()
    for end in ends_of(costs, due):
        key = _key(end.on, end.price, end.words)
        if key in found:
            continue
        on, price = end.on, end.price
        themes = {
            PITS: track.in_the_pits(on.space),
            BRAKING: price.brakes + price.tires > 0,
            OVERSHOOT: on.over > 0,
            STOP: bool(track.corner[on.space]) and not on.over,
            NITRO: bool(end.words.get("nitro")),
            FOLLOW: due == turn.SLIP,
        }
        found[key] = _Way(
            rounded(base + end.cost),
            end.orders(due),
            (on.lap, track.along[on.space], -on.space),
            float(on.over > 0),
            price.overshoot + price.brakes + price.tires + price.slip + bool(end.words.get("nitro")),
            frozenset(theme for theme, has in themes.items() if has),
        )
    ways = list(found.values())
    if due == turn.SLIP and ways:
        space, lap = costs.table.space, costs.car["lap"]
        stays = _Way(rounded(base + stay_cost(costs)), {"do": PASS}, (lap, track.along[space], -space), 0.0, 0.0)
        ways.append(stays)
    return ways


def _prepared_movements(costs: TurnCosts) -> list[Any]:
    due, base, found = phase_of(costs.race), _before(costs), dict[Key, int]()
    for end in ends_of(costs, due):
        found.setdefault(_key(end.on, end.price, end.words), rounded(base + end.cost))
    rows: list[Any] = [[list(key), value, {}] for key, value in found.items()]
    return [*rows, [PASS, rounded(base + stay_cost(costs)), {}]] if due == turn.SLIP else rows


def _read_movement(table: Table, orders: Orders) -> tuple[Any, dict[str, Json]]:
    path = orders.get("path")
    if path is None:
        raise RuleError("M6", "give the path; it is empty when all is braked")
    nitro, bonus = turn.nitro_of(table, orders), turn.bonus_used(table, orders)
    search = search_for(table, MOVE, more=nitro + bonus)
    on = checked_path(search.drive, path)[-1]
    price = checked_price(search, on, orders.get("tires"))
    words: dict[str, Json] = {**({"nitro": True} if nitro else {}), **({"bonus": True} if bonus else {})}
    clean = {"do": turn.MOVING, "path": list(path), **words, **({"tires": price.tires} if price.tires else {})}
    return list(_key(on, price, words)), clean


def _read_slip(table: Table, orders: Orders) -> tuple[Any, dict[str, Json]]:
    if orders.get("do") == PASS:
        return PASS, {"do": PASS}
    bonus, path = turn.bonus_used(table, orders), orders.get("path") or []
    search = search_for(table, SLIP, more=bonus)
    spaces = checked_path(search.drive, path)
    if len(spaces) == 1:
        raise RuleError("S2", "a slipstream drives one space at least")
    words: dict[str, Json] = {"bonus": True} if bonus else {}
    key = _key(spaces[-1], checked_price(search, spaces[-1]), words)
    return list(key), {"do": turn.SLIP, "path": list(path), **words}


# The box ------------------------------------------------------------------------------------------


def _boxes(costs: TurnCosts) -> list[_Way]:
    base = float(costs.car["turns"]) + 1.0
    return [
        _Way(rounded(base + cost), {"do": turn.PIT, **decisions}, (), 0.0, 0.0)
        for cost, decisions in box_costs(costs.table, costs.manner)
    ]


def _prepared_boxes(costs: TurnCosts) -> list[Any]:
    return [[_box_key(way.orders, costs.table), way.value, {}] for way in _boxes(costs)]


def _read_box(table: Table, orders: Orders) -> tuple[Any, dict[str, Json]]:
    kind, technical = pits.tyres_chosen(table, orders), orders.get("technical")
    chosen: dict[str, Json] = {"tyres": kind} if table.race["options"]["tyres"] else {}
    if technical is not None:
        chosen["technical"] = dict(pits.repairs_chosen(table, technical))
    return _box_key(chosen, table), {"do": turn.PIT, **chosen}


def _box_key(decisions: Mapping[str, Any], table: Table) -> list[Any]:
    technical = decisions.get("technical")
    kind = str(decisions.get("tyres") or table.car["tyres"])
    return [kind, None if technical is None else sorted([area, number] for area, number in technical.items())]


# What is obvious, and what it is about ------------------------------------------------------------


def _obvious(every: Sequence[_Way], driven: int) -> _Way:
    """Return the way of a driver who looks no further than this turn. There are three such drivers: one goes as far as
    a fair risk allows, one as far as it can without wear, and one keeps the gear `driven` last, or the next to it. It
    is the best way of the three.
    """
    fair = [way for way in every if way.risk <= FAIR_RISK] or every
    least = min(way.wear for way in every)
    far = max(fair, key=lambda way: (way.far[:2], -way.wear, -way.value))
    saving = max((way for way in every if way.wear <= least), key=lambda way: (way.far[:2], -way.value))
    kept = min((way for way in every if way.gear), key=lambda way: (abs(way.gear - driven), way.value), default=far)
    return min((far, saving, kept), key=lambda way: way.value)


def _themes(due: str, best: _Way, obvious: _Way) -> Iterator[str]:
    """Yield what the best way is about, beside the obvious one."""
    if due == turn.GEAR:
        if CORNER in best.themes | obvious.themes:
            yield CORNER
        if best.far != obvious.far:
            yield HIGHER if best.far > obvious.far else LOWER
        return
    if FOLLOW in best.themes | obvious.themes and best.orders["do"] != obvious.orders["do"]:
        yield FOLLOW if FOLLOW in best.themes else LEAVE
    differs = best.themes ^ obvious.themes
    found = [theme for theme in (PITS, BRAKING, OVERSHOOT, STOP, NITRO) if theme in differs]
    yield from found
    if not found and best.orders["do"] == obvious.orders["do"]:
        mine, other = best.far[:2], obvious.far[:2]
        yield LANE if mine == other else HOLD if mine < other else ON


_WAYS: Mapping[str, Callable[[TurnCosts], Iterable[_Way]]] = {
    turn.GEAR: _gears,
    turn.MOVING: _movements,
    turn.SLIP: _movements,
    turn.PIT: _boxes,
}
_PREPARED: Mapping[str, Callable[[TurnCosts], list[Any]]] = {
    turn.GEAR: _prepared_gears,
    turn.MOVING: _prepared_movements,
    turn.SLIP: _prepared_movements,
    turn.PIT: _prepared_boxes,
}
_READ: Mapping[str, Callable[[Table, Orders], tuple[Any, dict[str, Json]]]] = {
    turn.GEAR: _read_gear,
    turn.MOVING: _read_movement,
    turn.SLIP: _read_slip,
    turn.PIT: _read_box,
}
