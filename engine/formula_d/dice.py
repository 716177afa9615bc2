"""Dice: the black d20 and the gear dice. Draws from the chance use the names of A3."""

from __future__ import annotations

from typing import Protocol

from engine.contract import Chance
from engine.formula_d.facts import facts


class Dice(Protocol):
    """All sources of randomness in a race. `what` names the purpose of a roll."""

    def black(self, what: str) -> int:
        """Roll the d20 and return its result, 1 to 20."""

    def gear(self, what: str, gear: int) -> int:
        """Roll a gear die and return the number of spaces it shows (G1)."""


class Drawn:
    """Dice that are drawn from the chance of a run. Each draw is a number below the number of faces."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance

    def black(self, what: str) -> int:
        """Roll the d20."""
        return self._chance.number(what, facts().black.faces) + 1

    def gear(self, what: str, gear: int) -> int:
        """Roll a gear die."""
        faces = facts().gears[gear]
        return faces[self._chance.number(what, len(faces))]
