"""The demo's Grand Prix, and where its recording stops: in high gear before a corner, with somebody close."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from championship.stages.demo_rallies import DemoRally
from engine import registry
from engine.contract import Manners, State, required

UNDER_WAY = Path(__file__).with_name("demo_under_way.json")
"""The recorded posts of the demo's rallies that are under way."""

LOWEST_GEAR = 2
FIRST_TURN = 3
"""Earlier the cars still sort themselves out."""
CLOSE = 2
"""More cars that are close do not tempt more."""


def interest(state: State, seat: str) -> int:
    """Return how much the next turn of a seat tempts a visitor, 0 when it is not about a gear in the race."""
    rules, me = registry.get("formula_d"), state["cars"][seat]
    if rules.phase(state, seat) != "gear" or me["gear"] < LOWEST_GEAR or me["turns"] < FIRST_TURN:
        return 0
    others = [car for name, car in state["cars"].items() if name != seat and car["status"] == "racing"]
    near = [car for car in others if _part(car) == _part(me) and car["lap"] == me["lap"]]
    gears = {rules.autopilot(state, seat, manner)["gear"] for manner in required(rules, Manners).manners}
    tempts: int = me["gear"] + len(others) + 3 * min(len(near), CLOSE)
    if len(gears) > 1:
        tempts += 8
    if _part(me).startswith("S"):
        tempts += 4
    return tempts


def _part(car: dict[str, Any]) -> str:
    """Return the part of the track where a car is, such as "C2" for its second corner or "S1" for a straight."""
    part: str = car["space"].partition(".")[0]
    return part


OPTIONS = {"laps": 2, "weather": True, "tyres": True, "detours": True, "pits_by_place": True}
RALLIES = (DemoRally("Sandstone Grand Prix", ["monza"], OPTIONS, cars=6, interest=interest, recorded=UNDER_WAY),)
