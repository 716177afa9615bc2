"""Dice, cards and tokens, dealt by chance that knows whole numbers and piles only (D1, E1, E3)."""

from __future__ import annotations

from collections.abc import Mapping

from engine.chance import By, Chance, pick


class Dealer:
    """Deals the things of this game. A subclass may tell them in another way, as a scenario does."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance

    def number(self, what: str, ends: int, *, by: By = "run") -> int:
        """As `Chance` has it."""
        return self._chance.number(what, ends, by=by)

    def die(self, what: str, *, warnings: int, faces: int, shared: bool) -> bool:
        """D1: whether a die shows a warning that has one on `warnings` of its `faces` faces. `shared`: all runs of the
        stage that ask in the same words see the same face.
        """
        return self.number(what, faces, by="stage" if shared else "run") < warnings

    def card(self, what: str, left: Mapping[str, int], *, seen: bool) -> str | None:
        """E1, E2: the back of the top card of a shuffled deck of which `left` lie there. None: nobody needs to know
        (`seen` is false).
        """
        return pick(self, what, left)

    def token(self, what: str, left: Mapping[str, int], *, side: int) -> str | None:
        """A two-sided token "a/b" out of a bag that holds `left`, to be looked at on `side` 0 or 1. None from an empty
        bag.
        """
        return pick(self, what, left) if any(left.values()) else None
