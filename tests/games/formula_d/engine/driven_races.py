"""Races of one manner for ledgers: a manner of the game, a driver who goes anywhere, or the one of the values."""

from __future__ import annotations

import random
from typing import Any

from engine.contract import Event, Json, RunLedger, State
from engine.formula_d import turn
from engine.formula_d.choices import table_of
from engine.formula_d.codriver.decisions import gear_costs, movement
from engine.formula_d.codriver.manner import neutral_manner
from engine.formula_d.codriver.pitwall import box_orders
from engine.formula_d.codriver.turn_costs import TurnCosts
from engine.formula_d.phases import phase_of
from tests.games.formula_d.engine import pond
from tests.games.formula_d.engine.drawn import GAME, Lot

NEUTRAL, ANYHOW = "neutral", "anyhow"
POND: dict[str, Json] = {"csv": pond.track()}


def neutral_orders(race: State, seat: str) -> dict[str, Any]:
    """Return the next orders of the driver whom the values of a ledger describe."""
    due, table = phase_of(race), table_of(race, seat)
    if due == turn.PIT:
        return box_orders(table, neutral_manner())
    costs = TurnCosts(table, neutral_manner())
    if due == turn.GEAR:
        by_gear = gear_costs(costs)
        return {"do": due, "gear": min(by_gear, key=lambda gear: (by_gear[gear], gear))}
    return movement(costs, due)


def driven(
    manner: str, seed: int, course: dict[str, Json], cars: int = 1, **options: Json
) -> tuple[State, list[Event]]:
    """Return the set-up and the events of a race in which all cars drive in one manner."""
    lot, chance = random.Random(seed), Lot(seed)
    setup = GAME.setup(course, [{"id": f"c{place}"} for place in range(cars)], options)
    state, told = GAME.begin(setup, chance)
    events = list(told)
    while waiting := GAME.to_play(state):
        seat = waiting[0]
        if manner == NEUTRAL:
            orders = neutral_orders(state, seat)
        elif manner == ANYHOW:
            orders = dict(lot.choice(GAME.choices(state, seat).ways).orders)
        else:
            orders = GAME.autopilot(state, seat, manner)
        state, told = GAME.play(state, seat, orders, chance)
        events += told
    return setup, events


def ledger_of(manner: str, seed: int, course: dict[str, Json], cars: int = 1, **options: Json) -> RunLedger:
    """Return the ledger of such a race."""
    return GAME.ledger(*driven(manner, seed, course, cars, **options))
