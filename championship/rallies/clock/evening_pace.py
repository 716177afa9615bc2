"""The pace of an evening: how long a turn takes while a club drives on line together. Pure functions, whole seconds.

An evening is a part of a rally, or a whole one, in which time is kept in seconds. Quiet hours, weekends and holidays
do not matter in it. The rally's other pace, in hours, is kept and applies again after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

TURN, BANK, PERIODS = "turn", "bank", "periods"
"""The ways to count: seconds for every turn; a bank, to which every turn adds some; a bank and then periods (byo-yomi).
A period is whole again after each turn until it is used up.
"""
WAYS = (TURN, BANK, PERIODS)
SHORTEST_TURN, LONGEST_TURN = 30, 15 * 60
SHORTEST_BANK, LONGEST_BANK = 60, 2 * 60 * 60
LEAST_ADDED, MOST_ADDED = 5, 5 * 60
MOST_PERIODS = 10
LONGEST_GRACE = 2 * 60
MORE = 60
"""Seconds that the others give a driver at a time."""
MOST_TIMES_MORE = 5
"""How often they may, in one turn."""
SHORTEST_CARD = 60


@dataclass(frozen=True, slots=True)
class EveningPace:
    """How time is kept in an evening. All times are seconds.

    way: one of WAYS. turn: the time of a turn, or of one period. bank: what is in the bank at first. added: what every
    turn adds to it. cap: the most that a bank holds; 0 for no limit. periods: how many there are after the bank.
    grace: how long the others may still give more time after a driver's time is over, before the codriver drives; 0:
    the codriver drives at once.
    """

    way: str = TURN
    turn: int = 120
    bank: int = 600
    added: int = 20
    cap: int = 0
    periods: int = 3
    grace: int = 0

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> EveningPace:
        """Parse the result of `plain`. What is missing, or is no value of that kind, gets its default."""
        known: dict[str, Any] = {field.name: field.default for field in fields(cls)}
        return cls(**{name: plain[name] for name in known if type(plain.get(name)) is type(known[name])})

    def plain(self) -> dict[str, Any]:
        """The settings as JSON values."""
        return asdict(self)

    @property
    def has_bank(self) -> bool:
        """Whether time that a turn does not use is kept."""
        return self.way != TURN

    @property
    def whole_bank(self) -> int:
        """What a driver has at first, all periods included; 0 without a bank."""
        if self.way == PERIODS:
            return self.bank + self.periods * self.turn
        return self.bank if self.way == BANK else 0

    @property
    def card(self) -> int:
        """The time to hand in a card at time control."""
        return max(SHORTEST_CARD, self.turn)

    def allowed(self, left: int | None) -> int:
        """The time of a turn that begins now. `left`: what is in the driver's bank; None for all of it."""
        if self.way == TURN:
            return self.turn
        left = self.whole_bank if left is None else left
        if self.way == PERIODS:
            return max(left, self.turn)
        return self._capped(left + self.added)

    def banked(self, left: int) -> int:
        """What is in the bank after a turn that ended with `left` seconds of its time. A period that was begun and not
        used up is whole again; the last one always is.
        """
        if self.way != PERIODS:
            return self._capped(left)
        in_periods = self.periods * self.turn
        if left >= in_periods:
            return left
        return max(1, -(-left // self.turn)) * self.turn

    def _capped(self, seconds: int) -> int:
        return min(seconds, self.cap) if self.cap else seconds


def converted(left: int | None, *, before: int, after: int) -> int | None:
    """What is left of a bank of `after` seconds, to a driver who had `left` of a bank of `before` seconds: the same
    share, rounded up. None, which means all of it, where there was no bank or nothing was used.
    """
    if left is None or not before or not after:
        return None
    return -(-min(left, before) * after // before)
