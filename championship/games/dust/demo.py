"""The demo's card stage, and where its recording stops: before a turn with a full hand and something to pay with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from championship.stages.demo_rallies import DemoRally
from engine import registry
from engine.contract import Manners, State, required

UNDER_WAY = Path(__file__).with_name("demo_under_way.json")
"""The recorded posts of the demo's rallies that are under way."""

FIRST_ROUND, LAST_ROUND = 3, 9
"""The recording stops in one of these rounds: not at the start, and with road ahead."""
ENOUGH = 4
"""More keys or more traction do not tempt more."""


def interest(state: State, seat: str) -> int:
    """Return how much the next turn of a seat tempts a visitor, 0 when it has no turn to drive."""
    rules, me = registry.get("dust"), state["drivers"][seat]
    if rules.phase(state, seat) != "drive" or not FIRST_ROUND <= state["round"] <= LAST_ROUND:
        return 0
    tempts: int = 2 * len(me["hand"]) + min(me["keys"], ENOUGH) + min(me["traction"], ENOUGH)
    return tempts + 4 * (len(_turns(state, seat)) - 1)


def _turns(state: State, seat: str) -> set[tuple[Any, ...]]:
    """Return the different turns that the codrivers of all manners would drive here."""
    rules = registry.get("dust")
    found = set()
    for manner in required(rules, Manners).manners:
        orders = rules.autopilot(state, seat, manner)
        found.add(tuple(orders.get("steps", ())))
    return found


RALLIES = (
    DemoRally(
        "Dust and Dials",
        ["saltwind"],
        interest=interest,
        recorded=UNDER_WAY,
    ),
)
