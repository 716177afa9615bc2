"""Orders on how to roll a plan: one by one or flat out, when to stop, to secure, to play the SISU token.

They are given before the first roll and cover the whole turn, whatever the dice show. odds.py computes the odds of a
plan with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.contract import GameError, Orders, RuleError
from engine.dirt.turn import FLAT_OUT, ONE_BY_ONE

ROLL, SECURE, STOP = "roll", "secure", "stop"


@dataclass(frozen=True, slots=True)
class Manner:
    """Orders that hold for a whole turn. One by one, the first of these that applies decides before each move:

    1. After `stop_after` moves the driver stops.
    2. A move in `secure` is secured.
    3. With at least `secure_at` warnings the move is secured, if it costs at most `secure_price` seconds (None: any
       price) and there are enough second tokens.
    4. With at least `stop_at` warnings the driver stops, but never before the first move.
    5. The driver rolls.

    `sisu` holds the SISU token ready from the beginning of the turn: it is played when a warning would end the turn in
    any gear, and only when it keeps control. `sisu_from` plays it in that gear or a higher one, else in the same way.
    Once it is in use, rules 3 and 4 do not apply. `spare` takes the spare wheel when it may be taken. `as_laid`: after
    a loss of control flat out the dice stay as they were laid, up to the loss. Without it the driver must decide (R6).
    """

    roll: str = ONE_BY_ONE
    stop_after: int | None = None
    stop_at: int | None = None
    secure: frozenset[int] = frozenset()
    secure_at: int | None = None
    secure_price: int | None = None
    sisu: bool = False
    sisu_from: int | None = None
    spare: bool = False
    as_laid: bool = False

    def before(self, move: int, warnings: int, price: int, tokens: int, *, sisu_in_use: bool) -> str:
        """Return what to do about a move (counted from 1): ROLL, SECURE or STOP.

        Raises: RuleError when a move in `secure` costs more than there are second tokens (R3).
        """
        if self.stop_after is not None and move > self.stop_after:
            return STOP
        if move in self.secure:
            if price > tokens:
                raise RuleError(
                    "R3",
                    "securing that move costs %(price)d s, there are %(tokens)d second tokens",
                    price=price,
                    tokens=tokens,
                )
            return SECURE
        if sisu_in_use:
            return ROLL
        if self._worth_securing(warnings, price) and price <= tokens:
            return SECURE
        return STOP if move > 1 and self.stop_at is not None and warnings >= self.stop_at else ROLL

    def _worth_securing(self, warnings: int, price: int) -> bool:
        dear = self.secure_price is not None and price > self.secure_price
        return self.secure_at is not None and warnings >= self.secure_at and not dear

    def saves(self, gear: int) -> bool:
        """Return whether the SISU token is played against a warning that ends the turn in that gear."""
        return self.sisu_from is not None and gear >= self.sisu_from

    def check(self, moves: int) -> None:
        """Check that these orders fit a plan of `moves` moves.

        Raises: RuleError when they do not, the same as when they are played.
        """
        if self.roll not in (ONE_BY_ONE, FLAT_OUT):
            raise RuleError("R1", "dice are rolled one by one or flat out")
        if self.stop_after is not None and not 1 <= self.stop_after <= moves:
            raise RuleError("R1" if self.stop_after else "D9", "stop after 1 to %(made)d moves", made=moves)
        if any(not 1 <= number <= moves for number in self.secure):
            raise RuleError("R3", "only moves 1 to %(made)d can be secured", made=moves)
        if self.roll == FLAT_OUT and (self.secure or self.secure_at is not None):
            raise RuleError("R3", "dice are secured one by one only, not flat out")
        if self.roll == FLAT_OUT and not (self.stop_after is None and self.stop_at is None):
            raise RuleError("R4", "flat out all dice are rolled at once: there is no stopping")


_YES_OR_NO = ("sisu", "spare", "as_laid")
_WHOLE = ("stop_after", "stop_at", "secure_at", "secure_price", "sisu_from")


def manner_of(orders: Orders) -> Manner:
    """Return the manner that plain JSON orders give by the fields of Manner. A field that is missing or None has its
    default.

    Raises: GameError when a field or its value is not valid.
    """
    given: Mapping[str, Any] = {word: value for word, value in orders.items() if value is not None}
    for word, value in given.items():
        if word == "roll":
            fits = isinstance(value, str)
        elif word == "secure":
            fits = isinstance(value, list | tuple) and all(_whole(number) for number in value)
        elif word in _YES_OR_NO:
            fits = isinstance(value, bool)
        else:
            fits = word in _WHOLE and _whole(value)
        if not fits:
            raise GameError(f"{word!s:.20} = {value!r:.40} is no way to roll a plan")
    return Manner(**{**given, "secure": frozenset(given.get("secure", ()))})


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
