"""The context of one driver's step: copies of the state that it may change, and the draws."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from typing import Any, NoReturn, Protocol

from engine.contract import RuleError
from engine.dust.cards.card_set import Card, CardSet, StageCard
from engine.dust.state import GHOST, Driver, Ghost, Laid, Table

DICE, POPULARITY_DIE, RISK, CARDS = "dice", "popularity", "risk", "cards"
"""The kinds of draws (S7)."""


class NoChance(Exception):
    """Raised when a step draws and no chance was given."""


class Draws(Protocol):
    """The source of random results (S7)."""

    def draw_index(self, who: str, round_: int, kind: str, number: int, faces: Sequence[str]) -> int:
        """Return the index in `faces` of the result. `number` counts the draws of this kind in the round, from 1."""


class Turn:
    """A step that is being carried out.

    `me` is a shallow copy of the driver: code that changes a list or dict in it must replace it. Code that changes
    `ghost` must replace it too. `this` is the slot of *this card* (P9), `paid` the price paid for the current effect.
    """

    __slots__ = ("cards", "draw_log", "draws", "ghost", "me", "name", "paid", "table", "this")

    def __init__(self, table: Table, name: str, cards: CardSet, draws: Draws | None) -> None:
        self.table = table
        self.name = name
        self.cards = cards
        self.draws = draws
        self.me: Driver = table["drivers"][name].copy()
        self.ghost: Ghost | None = table["ghost"]
        self.this: str | None = None
        self.paid = 0
        self.draw_log: list[list[Any]] = []

    def fork(self) -> Turn:
        """Return a copy on which steps can be tried. Only `draw_log` is shared."""
        other = Turn.__new__(Turn)
        other.table, other.name, other.cards, other.draws = self.table, self.name, self.cards, self.draws
        other.me, other.ghost, other.this, other.paid = self.me.copy(), self.ghost, self.this, self.paid
        other.draw_log = self.draw_log
        return other

    def draw(self, kind: str, faces: Sequence[str]) -> str:
        """Draw as this driver, and return the face (S7)."""
        number = self.me["drawn"].get(kind, 0) + 1
        self.me["drawn"] = {**self.me["drawn"], kind: number}
        return self._draw_face(self.name, kind, number, faces)

    def draw_for_ghost(self, ghost: Ghost, kind: str, faces: Sequence[str]) -> str:
        """Draw as the ghost, and return the face (S7)."""
        number = ghost["drawn"].get(kind, 0) + 1
        ghost["drawn"] = {**ghost["drawn"], kind: number}
        return self._draw_face(GHOST, kind, number, faces)

    def _draw_face(self, who: str, kind: str, number: int, faces: Sequence[str]) -> str:
        if self.draws is None:
            raise NoChance
        face = faces[self.draws.draw_index(who, self.table["round"], kind, number, faces)]
        self.draw_log.append([who, kind, face])
        return face

    def gain(self, resource: str, amount: int) -> None:
        """Gain keys, traction, popularity or speed. The part above the limit is lost (D6)."""
        me = self.me
        if resource == "speed":
            me["speed"] += amount
        elif resource == "keys":
            me["keys"] = min(me["keys"] + amount, self.cards.limits.keys)
        elif resource == "traction":
            me["traction"] = min(me["traction"] + amount, self.cards.limits.traction)
        else:
            me["popularity"] = min(me["popularity"] + amount, self.cards.limits.popularity)

    def lose(self, resource: str, amount: int) -> None:
        """Lose keys, traction or popularity, down to 0 at most."""
        me = self.me
        if resource == "keys":
            me["keys"] = max(me["keys"] - amount, 0)
        elif resource == "traction":
            me["traction"] = max(me["traction"] - amount, 0)
        else:
            me["popularity"] = max(me["popularity"] - amount, 0)

    def has(self, resource: str) -> int:
        """Return how much the driver has of keys, traction or popularity."""
        me = self.me
        return me["keys"] if resource == "keys" else me["traction"] if resource == "traction" else me["popularity"]

    def flipped(self, token: int) -> bool:
        """Return whether a damage token is flipped (R7)."""
        return self.me["flipped"] >= token

    def laid(self, slot: str) -> Laid | None:
        """Return the card on a slot, or None."""
        return self.me["board"].get(slot)

    def lay(self, slot: str, laid: Laid) -> None:
        """Put a card on a slot."""
        self.me["board"] = {**self.me["board"], slot: laid}

    def take_off(self, slot: str) -> str:
        """Take a card off the board and return its name. An open card that leaves is no longer *this card* (P9)."""
        board = self.me["board"].copy()
        laid = board.pop(slot)
        self.me["board"] = board
        opened = self.me["open"]
        if opened is not None and opened["slot"] == slot:
            self.me["open"] = {**opened, "slot": None}
        if self.this == slot:
            self.this = None
        return laid["card"]

    def discard(self, slot: str) -> None:
        """Move a card from the board to the discard pile."""
        self.me["discard"] = with_one_added(self.me["discard"], self.take_off(slot))

    def remove(self, slot: str) -> None:
        """Move a card from the board to the driver's removed pile, out of the game."""
        self.me["removed"] = with_one_added(self.me["removed"], self.take_off(slot))

    def change_die(self, old: str, new: str) -> None:
        """Give an active die another value."""
        self.me["dice"] = with_one_added(with_one_removed(self.me["dice"], old), new)

    def spend_die(self, die: str) -> None:
        """Move an active die to the used dice."""
        self.me["dice"] = with_one_removed(self.me["dice"], die)
        self.me["spent"] = with_one_added(self.me["spent"], die)

    def card(self, name: str) -> Card:
        """Return a card of the set."""
        return self.cards.cards[name]

    def stage_card(self, number: int) -> StageCard:
        """Return a card of the stage."""
        return self.cards.stages[self.table["stage"]].cards[number - 1]

    def left_of(self, pile: str) -> int:
        """Return how many cards of a pile this driver can still order (B2)."""
        mine = sum(1 for one in self.me["aside"] if one["card"] == pile)
        return self.table["piles"].get(pile, 0) - mine


def with_one_added(cards: list[str], one: str) -> list[str]:
    """Return a copy of a sorted list with one more element."""
    new = cards.copy()
    insort(new, one)
    return new


def with_one_removed(cards: list[str], one: str) -> list[str]:
    """Return a copy of a list without one copy of an element."""
    new = cards.copy()
    new.remove(one)
    return new


def refuse(rule: str, message: str) -> NoReturn:
    """Refuse a step under a rule.

    Raises: RuleError always.
    """
    raise RuleError(rule, message)
