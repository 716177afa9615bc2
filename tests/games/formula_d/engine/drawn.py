"""Races with random orders or driven by the autopilot, for tests that need many."""

from __future__ import annotations

import json
import random
from typing import Any, Literal

from engine.contract import Event, State
from engine.formula_d import game
from engine.formula_d.track import names

GAME = game()


class Lot:
    """Chance from a seed. It records the words of the draws."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.asked: list[str] = []

    def number(self, what: str, ends: int, *, by: Literal["run", "seat", "stage"] = "run") -> int:
        """Draw a number from 0 to ends - 1."""
        self.asked.append(what)
        return self._random.randrange(ends)


def options(lot: random.Random, cars: int) -> dict[str, Any]:
    """Return a random mixture of options."""
    rules = lot.choice(["basic", "advanced", "advanced"])
    found: dict[str, Any] = {"rules": rules, "laps": lot.randint(1, 3)}
    found |= {name: lot.random() < 0.5 for name in ("start_roll", "nitro")}
    found["teams"] = cars % 2 == 0 and lot.random() < 0.4
    if rules == "advanced":
        advanced = ("qualifying", "weather", "tyres", "technical_pit", "build")
        found |= {name: lot.random() < 0.4 for name in advanced}
    return found


def race(
    seed: int, *, autopilot: bool = False, cars: int | None = None, **chosen: Any
) -> tuple[State, State, list[Event], Lot]:
    """Drive a race to its end. Return its set-up, its last state, its events, its chance.

    Checks that every state is plain JSON, and that no call changes its arguments.
    """
    lot = random.Random(seed)
    cars = cars or lot.randint(1, 10)
    entrants = [{"id": f"c{place}"} for place in range(cars)]
    setup = GAME.setup({"track": lot.choice(names())}, entrants, chosen or options(lot, cars))
    chance = Lot(seed)
    state, told = GAME.begin(setup, chance)
    events = list(told)
    while waiting := GAME.to_play(state):
        seat = lot.choice(waiting)
        before = json.dumps(state)
        if autopilot:
            orders = GAME.autopilot(state, seat)
        elif lot.random() < 0.002:
            orders = GAME.resign(state, seat)
        else:
            orders = dict(lot.choice(GAME.choices(state, seat).ways).orders)
        after, told = GAME.play(state, seat, orders, chance)
        assert json.dumps(state) == before
        assert json.loads(json.dumps(after)) == after
        state = after
        events += told
    return setup, state, events, chance
