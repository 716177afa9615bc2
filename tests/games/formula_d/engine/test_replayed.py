"""Races with random phases, then written as scenario files: both give the same result. Files with an illegal order are
refused.
"""

from __future__ import annotations

import random
from typing import Any, Literal

import pytest

from engine.contract import Event
from engine.formula_d import scenario
from engine.formula_d.facts import facts
from engine.formula_d.track import names
from tests.games.formula_d.engine.drawn import GAME, options

KINDS = ("hard", "soft", "wet")


class Kept:
    """Chance from a seed that records its results, as a scenario file lists them (A3)."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.dice: list[int] = []

    def number(self, what: str, ends: int, *, by: Literal["run", "seat", "stage"] = "run") -> int:
        """Draw a number from 0 to ends - 1. Low rolls are a little more frequent, to cause accidents."""
        number = self._random.randrange(ends)
        words = what.split()
        gear = words[-2] == "gear" if len(words) > 2 else False
        self.dice.append(facts().gears[int(words[-1])][number] if gear else number + 1)
        return number


def _add_phase(order: dict[str, Any], orders: dict[str, Any], events: tuple[Event, ...]) -> None:
    """Add one phase of a turn to the order for the whole turn."""
    kinds = [event["kind"] for event in events]
    if orders["do"] == "gear" and "gear" in kinds:
        order["gear"] = orders["gear"]
    elif orders["do"] == "move":
        order |= {name: orders[name] for name in ("path", "nitro", "bonus", "tires") if name in orders}
    elif orders["do"] == "slip":
        order.setdefault("slip", []).append({name: orders[name] for name in ("path", "bonus") if name in orders})
    elif orders["do"] == "pit":
        order["pit"] = {name: orders[name] for name in ("tyres", "technical") if name in orders}
    elif orders["do"] == "out":
        order["out"] = orders["path"]
    if any(event["kind"] == "pit" and event["result"] == "fast" for event in events) and "done" in kinds:
        order.setdefault("out", [])


def drawn(seed: int, turns: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a scenario file of some turns of a random race, and its result."""
    lot = random.Random(seed)
    cars = lot.randint(1, 10)
    chosen = options(lot, cars)
    entrants: list[dict[str, Any]] = [{"id": f"c{place}"} for place in range(cars)]
    for place, entrant in enumerate(entrants):
        if chosen["teams"]:
            entrant["box"] = "ABCDE"[place // 2] + "12"[place % 2]
        if chosen.get("tyres"):
            entrant |= {"tyres": lot.choice(KINDS), "tyres_q": lot.choice(KINDS)}
        if chosen.get("build"):
            entrant["build"] = dict(facts().wear_advanced)
    track = lot.choice(names())
    document = {"track": track, "options": chosen, "cars": entrants, "grid": "roll", "orders": []}
    chance = Kept(seed)
    state, _ = GAME.begin(GAME.setup(track, entrants, chosen), chance)
    for _ in range(turns):
        if not GAME.to_play(state):
            break
        (seat,) = GAME.to_play(state)
        order: dict[str, Any] = {"car": seat}
        done = GAME.turns_made(state, seat)
        while GAME.turns_made(state, seat) == done:
            ways = GAME.choices(state, seat).ways
            free = [way for way in ways if not way.does.get("brakes") and not way.does.get("overshoot")]
            orders = dict(lot.choice(free if free and lot.random() < 0.8 else ways).orders)
            if orders.get("gear") == state["cars"][seat]["gear"] + 1 and lot.random() < 0.5 and len(ways) > 1:
                orders = dict(ways[0].orders)
            state, events = GAME.play(state, seat, orders, chance)
            _add_phase(order, orders, events)
        document["orders"].append(order)
    document["dice"] = chance.dice
    return document, scenario.shown(state, len(chance.dice), weather=False)


@pytest.mark.parametrize("seed", range(30))
def test_replayed(seed: int) -> None:
    document, expected = drawn(seed, 40)
    assert scenario.play(document) == (expected, True)


def with_an_illegal_order(document: dict[str, Any], lot: random.Random) -> dict[str, Any]:
    """Return the file with one order changed."""
    orders = [dict(order) for order in document["orders"]]
    order = lot.choice(orders)
    path = list(order.get("path", []))
    wishes: list[dict[str, Any]] = [
        {"gear": lot.randint(0, 7)}, {"nitro": True}, {"bonus": True}, {"tires": lot.randint(1, 4)},
        {"path": path[:-1]},
        {"path": [*path, *path[-1:]]}, {"path": None}, {"slip": [{"path": path[:3]}]}, {"pit": {}}, {"out": []},
        {"out": ["P.0.2"]}, {"pit": {"tyres": "soft"}}, {"pit": {"technical": {"body": 1}}}, {"car": "nobody"},
    ]  # fmt: skip
    order |= lot.choice(wishes)
    return {**document, "orders": orders}


@pytest.mark.parametrize("seed", range(30))
def test_spoilt_it_is_refused_by_a_rule_or_still_legal(seed: int) -> None:
    document, _ = drawn(seed, 25)
    lot = random.Random(seed)
    for _ in range(10):
        shown, legal = scenario.play(with_an_illegal_order(document, lot))
        assert legal is ("error" not in shown)
        if not legal:
            assert shown["error"]["rule"] in RULES and 1 <= shown["error"]["turn"] <= 25


RULES = {
    "O1", "Y4", "G1", "G2", "G3", "G4", "G5", "C3", "C4", "C5", "C7", "P1", "P2", "P6", "P7", "P8", "P10",
    "M1", "M2", "M3", "M5", "M6", "B1", "B3", "B4", "N1", "N2", "T3", "T6", "S1", "S2", "S5", "S7", "Q4", "dice",
}  # fmt: skip
