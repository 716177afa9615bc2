"""The operations of the effect language as values (E7), and a parser that reads them from a card's text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.dust.cards.faults import Reason

RESOURCES: Final = ("keys", "traction", "popularity")
"""What may be paid, lost and gained (E2)."""

GAINS: Final = (*RESOURCES, "speed")
"""What may be gained (E2)."""

THINGS: Final = ("risk", "removed", "empty", "dice", "paid")
"""What a gain may count (E7)."""

DIRECTIONS: Final = ("left", "right")

_NUMBER = re.compile(r"[0-9]{1,4}", re.ASCII)


class Unreadable(ValueError):
    """An error in the text of an effect: the rule of chapter E that it breaks, and the reason."""

    def __init__(self, rule: str, template: str, **values: Any) -> None:
        self.rule = rule
        self.reason = Reason(template, **values)
        super().__init__(self.reason.words())


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of an effect. `draws` says whether it draws from the chance (E8)."""

    draws = False


@dataclass(frozen=True, slots=True)
class Gain(Operation):
    """`keys N`, or `keys N per [K] THING [max M]`: N for every K things, at most M in all."""

    resource: str
    amount: int
    thing: str | None = None
    every: int = 1
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Lose(Operation):
    """`lose RESOURCE N`."""

    resource: str
    amount: int


@dataclass(frozen=True, slots=True)
class Move(Operation):
    """`move left N`, `move right N`, or `move N`: the driver chooses the direction."""

    direction: str | None
    spaces: int


@dataclass(frozen=True, slots=True)
class Shift(Operation):
    """`shift` SPACE: the car changes the row."""


@dataclass(frozen=True, slots=True)
class Centre(Operation):
    """`centre`: the car goes to the centre."""


@dataclass(frozen=True, slots=True)
class Risk(Operation):
    """`risk`: the driver takes a Risk."""

    draws = True


@dataclass(frozen=True, slots=True)
class Repair(Operation):
    """`repair N`: up to N risk dice go back."""

    dice: int


@dataclass(frozen=True, slots=True)
class Boost(Operation):
    """`boost`: the driver rolls one more boost die."""

    draws = True


@dataclass(frozen=True, slots=True)
class SetOne(Operation):
    """`set one V ...` DIE=V."""

    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SetAll(Operation):
    """`set all V`."""

    value: int


@dataclass(frozen=True, slots=True)
class Nudge(Operation):
    """`nudge` DIE=V."""


@dataclass(frozen=True, slots=True)
class Reroll(Operation):
    """`reroll` DIE."""

    draws = True


@dataclass(frozen=True, slots=True)
class Discard(Operation):
    """`discard this`, `discard any` SLOT, `discard all`."""

    which: str


@dataclass(frozen=True, slots=True)
class Remove(Operation):
    """`remove this`, `remove any` SLOT."""

    which: str


@dataclass(frozen=True, slots=True)
class Return(Operation):
    """`return` CARD SLOT."""


@dataclass(frozen=True, slots=True)
class CoverLeft(Operation):
    """`cover left N`."""

    cards: int


@dataclass(frozen=True, slots=True)
class CoverAny(Operation):
    """`cover any` SLOT."""


@dataclass(frozen=True, slots=True)
class Swap(Operation):
    """`swap` SLOT SLOT."""


@dataclass(frozen=True, slots=True)
class Take(Operation):
    """`take A-B` CARD: the driver gets a card with a printed cost of A to B without paying."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Shuffle(Operation):
    """`shuffle`: the discard pile is shuffled into the deck."""


@dataclass(frozen=True, slots=True)
class Draw(Operation):
    """`draw N`: the driver draws N cards."""

    cards: int

    draws = True


@dataclass(frozen=True, slots=True)
class Void(Operation):
    """`void`: the pending risk roll counts as blank."""


def number(word: str, *, least: int = 0) -> int:
    """Return the number that a word holds, which has no sign.

    Raises: Unreadable when the word is not a number, or is less than `least`.
    """
    if not _NUMBER.fullmatch(word):
        raise Unreadable("E7", "%(word).40r is not a number without sign", word=word)
    if int(word) < least:
        raise Unreadable("E7", "%(word)s is less than %(least)d", word=word, least=least)
    return int(word)


def span(word: str, *, rule: str) -> tuple[int, int]:
    """Return the two numbers of "A-B". The first is not greater than the second.

    Raises: Unreadable when the word has another form.
    """
    first, dash, second = word.partition("-")
    if not dash:
        raise Unreadable(rule, "%(word).40r is not written A-B", word=word)
    least, most = number(first), number(second)
    if least > most:
        raise Unreadable(rule, "%(word)s: the first number is over the second", word=word)
    return least, most


def read(text: str, *, faces: int) -> Operation:
    """Return the operation that a card's text describes. `faces` is the number of faces of a die.

    Raises: Unreadable (E2 or E7) when the text is not an operation.
    """
    words = text.split()
    if not words:
        raise Unreadable("E7", "an operation is missing")
    reader = _READERS.get(words[0])
    if reader is None:
        raise Unreadable("E7", "%(word).40r is not an operation", word=words[0])
    return reader(words, faces)


def _exactly(words: Sequence[str], count: int, shape: str) -> None:
    if len(words) != count:
        raise Unreadable("E7", "%(words).80r is not written as %(shape)s", words=" ".join(words), shape=shape)


def _gain(words: Sequence[str], faces: int) -> Operation:
    resource, rest = words[0], list(words[2:])
    if len(words) < 2:
        raise Unreadable("E7", "%(resource)s needs a number", resource=resource)
    amount = number(words[1])
    if not rest:
        return Gain(resource, amount)
    if rest.pop(0) != "per" or not rest:
        raise Unreadable(
            "E7",
            "%(words).80r is not written as %(resource)s N per [K] THING [max M]",
            words=" ".join(words),
            resource=resource,
        )
    every = number(rest.pop(0), least=1) if _NUMBER.fullmatch(rest[0]) else 1
    if not rest or rest[0] not in THINGS:
        raise Unreadable(
            "E7", "%(word).40r cannot be counted: one of %(known)s", word=(rest or [""])[0], known=", ".join(THINGS)
        )
    thing, *rest = rest
    if not rest:
        return Gain(resource, amount, thing, every)
    if len(rest) != 2 or rest[0] != "max":
        raise Unreadable("E7", "%(words).80r is not written as max M", words=" ".join(rest))
    return Gain(resource, amount, thing, every, number(rest[1]))


def _lose(words: Sequence[str], faces: int) -> Operation:
    _exactly(words, 3, "lose RESOURCE N")
    if words[1] not in RESOURCES:
        raise Unreadable(
            "E2", "%(word).40r cannot be lost: one of %(known)s", word=words[1], known=", ".join(RESOURCES)
        )
    return Lose(words[1], number(words[2]))


def _move(words: Sequence[str], faces: int) -> Operation:
    if len(words) == 2:
        return Move(None, number(words[1]))
    _exactly(words, 3, "move left N / move right N / move N")
    if words[1] not in DIRECTIONS:
        raise Unreadable("E7", "%(word).40r is neither left nor right", word=words[1])
    return Move(words[1], number(words[2]))


def _alone(operation: Operation) -> Callable[[Sequence[str], int], Operation]:
    def reader(words: Sequence[str], faces: int) -> Operation:
        _exactly(words, 1, words[0])
        return operation

    return reader


def _counted(make: Callable[[int], Operation]) -> Callable[[Sequence[str], int], Operation]:
    def reader(words: Sequence[str], faces: int) -> Operation:
        _exactly(words, 2, f"{words[0]} N")
        return make(number(words[1]))

    return reader


def _face(word: str, faces: int) -> int:
    value = number(word, least=1)
    if value > faces:
        raise Unreadable("E7", "no die shows %(value)d", value=value)
    return value


def _set(words: Sequence[str], faces: int) -> Operation:
    if len(words) >= 3 and words[1] == "one":
        return SetOne(tuple(_face(word, faces) for word in words[2:]))
    if len(words) == 3 and words[1] == "all":
        return SetAll(_face(words[2], faces))
    raise Unreadable("E7", "%(words).80r is not written as set one V ... or set all V", words=" ".join(words))


def _which(make: Callable[[str], Operation], known: tuple[str, ...]) -> Callable[[Sequence[str], int], Operation]:
    def reader(words: Sequence[str], faces: int) -> Operation:
        _exactly(words, 2, " / ".join(f"{words[0]} {one}" for one in known))
        if words[1] not in known:
            raise Unreadable(
                "E7",
                "%(operation)s %(word).40r: one of %(known)s",
                operation=words[0],
                word=words[1],
                known=", ".join(known),
            )
        return make(words[1])

    return reader


def _cover(words: Sequence[str], faces: int) -> Operation:
    if len(words) == 2 and words[1] == "any":
        return CoverAny()
    if len(words) == 3 and words[1] == "left":
        return CoverLeft(number(words[2]))
    raise Unreadable("E7", "%(words).80r is not written as cover left N or cover any", words=" ".join(words))


def _take(words: Sequence[str], faces: int) -> Operation:
    _exactly(words, 2, "take A-B")
    return Take(*span(words[1], rule="E7"))


_READERS: Final[dict[str, Callable[[Sequence[str], int], Operation]]] = {
    **dict.fromkeys(GAINS, _gain),
    "lose": _lose,
    "move": _move,
    "shift": _alone(Shift()),
    "centre": _alone(Centre()),
    "risk": _alone(Risk()),
    "repair": _counted(Repair),
    "boost": _alone(Boost()),
    "set": _set,
    "nudge": _alone(Nudge()),
    "reroll": _alone(Reroll()),
    "discard": _which(Discard, ("this", "any", "all")),
    "remove": _which(Remove, ("this", "any")),
    "return": _alone(Return()),
    "cover": _cover,
    "swap": _alone(Swap()),
    "take": _take,
    "shuffle": _alone(Shuffle()),
    "draw": _counted(Draw),
    "void": _alone(Void()),
}
