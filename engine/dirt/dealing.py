"""Draw dice, cards and tokens from a Chance, which knows whole numbers and piles only (D1, E1, E3)."""

from __future__ import annotations

from collections.abc import Mapping

from engine.chance import Chance, DrawScope, pick


class Dealer:
    """Draws dice, cards and tokens. A subclass may draw them in another way, as a scenario does."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance

    def number(self, what: str, ends: int, *, by: DrawScope = "run") -> int:
        """Return a random whole number, as `Chance.number`."""
        return self._chance.number(what, ends, by=by)

    def die(self, what: str, *, warnings: int, faces: int, shared: bool) -> bool:
        """D1: roll a die that has a warning on `warnings` of its `faces` faces. Return whether it shows one. `shared`:
        all runs of the stage get the same face for the same words.
        """
        return self.number(what, faces, by="stage" if shared else "run") < warnings

    def card(self, what: str, left: Mapping[str, int], *, seen: bool) -> str | None:
        """E1, E2: draw the top card of a shuffled deck in which `left` cards are left. Return its back. A subclass may
        return None when nobody sees it (`seen` is false).
        """
        return pick(self, what, left)

    def token(self, what: str, left: Mapping[str, int], *, side: int) -> str | None:
        """Draw a two-sided token "a/b" from a bag that holds `left`. `side` 0 or 1 is turned up. Return None when the
        bag is empty.
        """
        return pick(self, what, left) if any(left.values()) else None
