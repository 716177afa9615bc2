"""What a game keeps in tables of its own, so that a club takes it along in its archive."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kept:
    """A table of a game's own. `model` is its name as Django knows it ("toy.Deck"); `club` is the lookup that leads
    from a row to the club that it belongs to. A row points to no person but by a column that may be empty.
    """

    model: str
    club: str
