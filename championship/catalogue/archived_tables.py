"""A game's own tables, which a club's archive includes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kept:
    """One of a game's own tables. `model` is its label in Django ("toy.Deck"); `club` is the lookup from a row to its
    club. A column of the table that refers to a person must be nullable.
    """

    model: str
    club: str
