"""How a race stands for a car that only wants to win: its chance to be first, by the turns that it still needs.

The chance bends as a bell does. A car in front loses more by a bad turn than it gains by a good one, and dares less; a
car behind comes to the front only by luck, and dares more.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, exp, pi, sqrt


@dataclass(frozen=True, slots=True)
class Stand:
    """The turns that a car needs in the mean and those of the likely winner; the deviation of their difference."""

    mine: float
    first: float
    spread: float

    @property
    def behind(self) -> float:
        """By how many deviations the car lies behind; below 0 in front."""
        return (self.mine - self.first) / self.spread

    @property
    def out(self) -> float:
        """The turns that cost as much of the chance as going out: all of it, by what a turn takes of it."""
        return self.spread * (1.0 - self.lost(self.mine)) / max(1e-9, exp(-(self.behind**2) / 2) / sqrt(2 * pi))

    def lost(self, turns: float) -> float:
        """Return the chance not to be first when the car needs so many turns."""
        return erfc((self.first - turns) / self.spread / sqrt(2)) / 2
