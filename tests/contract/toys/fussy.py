"""Fussy: Dash with the two faults that no game may have. Roll with `over`, and the seat is refused when the face is not
higher. While `broken`, the rules stop with an error at each face below HIGH.
"""

from __future__ import annotations

from engine.contract import Chance, Event, Orders, RuleError, State
from tests.contract.toys.dash import Dash

HIGH = 5
"""The lowest face that the broken rules can read."""


class Fussy(Dash):
    """The game."""

    name = "fussy"
    title = "Fussy"

    def __init__(self) -> None:
        self.broken = False

    def play(self, state: State, seat: str, orders: Orders, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        new, events = super().play(state, seat, orders, chance)
        face = events[0].get("face")
        if face is not None and "over" in orders and face <= orders["over"]:
            raise RuleError("D3", "the face is not high enough")
        if face is not None and self.broken and face < HIGH:
            raise ValueError(f"this face cannot be read: {face}")
        return new, events
