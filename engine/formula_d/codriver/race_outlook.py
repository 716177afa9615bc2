"""The outlook of a car whose driver only wants to win: its chance to be first, from the turns that it still needs.

The chance follows a normal distribution. A leading car loses more by a bad turn than it gains by a good one, so it
takes less risk. A car behind needs luck to reach the front, so it takes more risk.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, exp, pi, sqrt


@dataclass(frozen=True, slots=True)
class RaceOutlook:
    """`mine` are the mean turns that a car needs, `first` those of the likely winner. `spread` is the standard
    deviation of their difference, in turns.
    """

    mine: float
    first: float
    spread: float

    @property
    def behind(self) -> float:
        """How many standard deviations the car is behind; below 0 when it leads."""
        return (self.mine - self.first) / self.spread

    @property
    def out_price(self) -> float:
        """The price of going out in turns: the whole chance to be first, divided by the chance that one turn costs."""
        return (
            self.spread
            * (1.0 - self.chance_not_first(self.mine))
            / max(1e-9, exp(-(self.behind**2) / 2) / sqrt(2 * pi))
        )

    def chance_not_first(self, turns: float) -> float:
        """Return the chance not to be first for a car that needs so many turns."""
        return erfc((self.first - turns) / self.spread / sqrt(2)) / 2
