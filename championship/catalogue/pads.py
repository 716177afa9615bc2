"""The pad of a game: what people count at the table with the printed game, and how a result follows from it.

A game declares its pad as a part. The core draws it, on a phone and on paper, and knows nothing of what is counted:

    PADS.by(pad_of)         where pad_of(options) returns the Pad for these options of a rally

A game without one has a pad that asks for the result alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise

from championship.catalogue import Part

Words = str | Promise
MOST = 9_999
"""The greatest number in one field of a pad."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PadField:
    """One number that people count or type.

    `worth`: what each one adds to the result, in the unit of the game; 0 for what is only noted. `table`: instead, what
    the numbers 1, 2, 3 and so on add; later numbers add nothing. `most`: the greatest number. `steps`: by how much the
    buttons of a phone raise it. `group`: the heading under which it stands. `needed`: without it the pad gives no
    result.
    """

    name: str
    label: Words
    worth: int = 0
    table: tuple[int, ...] = ()
    most: int = 99
    steps: tuple[int, ...] = (1,)
    group: Words = ""
    needed: bool = False

    def amount(self, number: int) -> int:
        """What this number adds to the result."""
        if self.table:
            return self.table[number - 1] if 1 <= number <= len(self.table) else 0
        return self.worth * number


@dataclass(frozen=True, slots=True)
class Throw:
    """Something that a phone can draw in place of a piece of the printed game. `faces`: what it can show, each as
    likely.
    """

    name: str
    label: Words
    faces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Brought:
    """What a car brings from a stage besides its result, in the game's own form: luggage, and what the game needs when
    all results are in. `rank` orders equal results.
    """

    luggage: Any
    detail: Any = field(default_factory=dict)
    rank: tuple[int, ...] = ()


Bring = Callable[[Mapping[str, int], int | None, Any], Brought]
"""From the numbers of a pad, the result and the luggage at the start."""


def _nothing(_luggage: Any) -> dict[str, int]:
    return {}


def _as_before(_numbers: Mapping[str, int], _result: int | None, luggage: Any) -> Brought:
    return Brought(luggage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pad:
    """The pad of a game.

    `brings` reads from the numbers what the car brings from the stage; a number that nobody gave is missing there.
    `begins` says with which numbers a car begins, from its luggage. `throws`: what a phone can draw; at most
    `most_throws` at once. `bgg_id`: the number of the printed game at BoardGameGeek, 0 when unknown.
    """

    fields: tuple[PadField, ...] = ()
    brings: Bring = _as_before
    begins: Callable[[Any], dict[str, int]] = _nothing
    throws: tuple[Throw, ...] = ()
    most_throws: int = 12
    bgg_id: int = 0

    def result(self, numbers: Mapping[str, int]) -> int | None:
        """Return the result that follows from these numbers; None when nothing was counted, or a needed number is
        missing.
        """
        counting = [each for each in self.fields if each.worth or each.table]
        if not any(numbers.get(each.name) for each in counting):
            return None
        if any(each.needed and not numbers.get(each.name) for each in self.fields):
            return None
        return sum(each.amount(numbers.get(each.name, 0)) for each in counting)

    def throw(self, name: str) -> Throw | None:
        """The throw of that name; None when there is none."""
        return next((each for each in self.throws if each.name == name), None)


PADS: Part[Callable[[Mapping[str, Any]], Pad]] = Part("pads")
PLAIN = Pad()
"""The pad of a game that declares none: the result alone."""


def pad_of(game: str, options: Mapping[str, Any]) -> Pad:
    """The pad of a game with these options; `PLAIN` when it declares none.

    Raises: UnknownGame when no game has that name.
    """
    make = PADS.of(game)
    return PLAIN if make is None else make(options)
