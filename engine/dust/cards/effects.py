"""A card's effects (E1 to E4): parsing them, and the combinations that are not allowed (E8, E9)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.dust.cards import operations as op
from engine.dust.cards.operations import Operation, Unreadable

ROWS: Final = {"accelerate": "A", "brake": "B"}
ZONES: Final = ("red", "yellow", "grey")
KINDS: Final = {"player": "p", "boost": "b", "popularity": "f"}

_KEYS: Final = ("do", "when", "pay", "must", "passive")
_POOL: Final = re.compile(r"risk>=([0-9]{1,4})", re.ASCII)
_VALUE: Final = re.compile(r"die=([0-9])(?:-([0-9]))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition (E3). `kind` is `row`, `zone`, `holder`, `risk`, `die` or `opened` (the kind of die)."""

    kind: str
    name: str = ""
    least: int = 0
    most: int = 0


@dataclass(frozen=True, slots=True)
class Payment:
    """The price of an effect (E1). `amount` is None for all that the driver has, at least 1 (E4)."""

    resource: str
    amount: int | None


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect of a card. Its number is its place on the card. `voids`: it has a `void`. `gains`: it only gains
    something, and costs nothing.
    """

    operations: tuple[Operation, ...]
    conditions: tuple[Condition, ...] = ()
    payment: Payment | None = None
    must: bool = False
    passive: bool = False
    voids: bool = False
    gains: bool = False


def condition(word: str, *, faces: int) -> Condition:
    """Return the condition that a word describes. `faces` is the number of faces of a die.

    Raises: Unreadable (E3) when the word is not a condition.
    """
    if word in ROWS:
        return Condition("row", ROWS[word])
    if word in ZONES:
        return Condition("zone", word)
    if word == "holder":
        return Condition("holder")
    if found := _POOL.fullmatch(word):
        return Condition("risk", least=int(found[1]))
    if found := _VALUE.fullmatch(word):
        least, most = int(found[1]), int(found[2] or found[1])
        if not 1 <= least <= most <= faces:
            raise Unreadable("E3", "%(word)s: no die shows that", word=word)
        return Condition("die", least=least, most=most)
    kind, _, name = word.partition("=")
    if kind == "kind" and name in KINDS:
        return Condition("opened", KINDS[name])
    raise Unreadable("E3", "%(word).40r is not a condition", word=word)


def payment(text: str) -> Payment:
    """Return the payment that a card's text describes.

    Raises: Unreadable (E1, E2 or E7) when the text is not a payment.
    """
    words = text.split()
    if len(words) != 2:
        raise Unreadable("E1", "pay %(text).40r is not written as RESOURCE N or RESOURCE all", text=text)
    if words[0] not in op.RESOURCES:
        raise Unreadable(
            "E2", "%(word).40r cannot be paid: one of %(known)s", word=words[0], known=", ".join(op.RESOURCES)
        )
    return Payment(words[0], None if words[1] == "all" else op.number(words[1]))


def read(table: Any, *, on_stage: bool, faces: int) -> tuple[Effect | None, list[Unreadable]]:
    """Return the effect of a table in a card set, and all errors in it. The effect is None when there are errors."""
    if not isinstance(table, Mapping):
        return None, [Unreadable("E1", "an effect is a table")]
    wrong = list(_key_errors(table))
    operations: list[Operation] = []
    conditions: list[Condition] = []
    paid = None
    if isinstance(table.get("do"), str):
        for text in table["do"].split(";"):
            try:
                operations.append(op.read(text, faces=faces))
            except Unreadable as error:
                wrong.append(error)
    if isinstance(table.get("when"), str):
        for word in table["when"].split():
            try:
                conditions.append(condition(word, faces=faces))
            except Unreadable as error:
                wrong.append(error)
    if isinstance(table.get("pay"), str):
        try:
            paid = payment(table["pay"])
        except Unreadable as error:
            wrong.append(error)
    effect = Effect(
        tuple(operations),
        tuple(conditions),
        paid,
        table.get("must") is True,
        table.get("passive") is True,
        any(isinstance(one, op.Void) for one in operations),
        paid is None and all(isinstance(one, op.Gain) for one in operations),
    )
    wrong += _wrong_combinations(effect, on_stage=on_stage)
    return (None if wrong else effect), wrong


def _key_errors(table: Mapping[str, Any]) -> Iterator[Unreadable]:
    """Yield errors in the keys of an effect and in the types of their values (E1)."""
    for key in table:
        if key not in _KEYS:
            yield Unreadable("E1", "an effect has no %(key).40r: %(known)s", key=str(key), known=", ".join(_KEYS))
    if "do" not in table:
        yield Unreadable("E1", "do is missing")
    for key in ("do", "when", "pay"):
        if key in table and not isinstance(table[key], str):
            yield Unreadable("E1", "%(key)s is not a text", key=key)
    if isinstance(table.get("when"), str) and not table["when"].split():
        yield Unreadable("E1", "when has no condition")
    for key in ("must", "passive"):
        if key in table and not isinstance(table[key], bool):
            yield Unreadable("E1", "%(key)s is neither true nor false", key=key)


def _wrong_combinations(effect: Effect, *, on_stage: bool) -> Iterator[Unreadable]:
    """Yield combinations that are not allowed in one effect (E3, E8, E9)."""
    if (effect.passive or on_stage) and any(one.kind in ("die", "opened") for one in effect.conditions):
        yield Unreadable("E3", "die= and kind= cannot be used in a passive effect or on a stage card")
    yield from _draw_errors(effect.operations)
    if effect.must and effect.payment:
        yield Unreadable("E9", "a mandatory effect has no pay")
    if effect.must and effect.passive:
        yield Unreadable("E9", "a mandatory effect is not passive")
    if on_stage and effect.passive:
        yield Unreadable("E9", "a stage card has no passive effect")
    if on_stage and any(_is_this(one) for one in effect.operations):
        yield Unreadable("E9", "a stage card has no this")
    yield from _void_errors(effect)
    if effect.passive and any(_is_this(one) for one in effect.operations):
        if sum(_is_this(one) for one in effect.operations) > 1:
            yield Unreadable("E9", "a passive effect has this once at most")
        if any(_shuffles_board(one) for one in effect.operations):
            yield Unreadable("E9", "a passive effect with this has no other operation that takes or moves cards")


def _is_this(one: Operation) -> bool:
    return isinstance(one, op.Discard | op.Remove) and one.which == "this"


def _shuffles_board(one: Operation) -> bool:
    """Return whether an operation takes cards other than `this` off the board, or moves them (E9)."""
    return isinstance(one, op.Swap | op.Return) or (isinstance(one, op.Discard | op.Remove) and one.which != "this")


def takes_arguments(one: Operation) -> bool:
    """Return whether the driver gives an argument to this operation (E7)."""
    if isinstance(one, op.Move):
        return one.direction is None
    if isinstance(one, op.Discard | op.Remove):
        return one.which == "any"
    return isinstance(one, op.Shift | op.SetOne | op.Nudge | op.Reroll | op.Return | op.CoverAny | op.Swap | op.Take)


def _draw_errors(operations: Sequence[Operation]) -> Iterator[Unreadable]:
    """Yield errors in operations that draw (E8): `risk` may stand once, as the very last operation. One of `boost`,
    `reroll` and `draw` may stand once, as the last operation or the last before `risk`.
    """
    rolls = [place for place, one in enumerate(operations) if isinstance(one, op.Boost | op.Reroll | op.Draw)]
    risks = [place for place, one in enumerate(operations) if isinstance(one, op.Risk)]
    end = len(operations) - 1
    if len(risks) > 1:
        yield Unreadable("E8", "an effect has risk only once")
    elif risks and risks[0] != end:
        yield Unreadable("E8", "risk must be the last operation")
    if len(rolls) > 1:
        yield Unreadable("E8", "an effect has only one of boost, reroll and draw, once")
    elif rolls and rolls[0] != end and not (rolls[0] == end - 1 and risks):
        yield Unreadable("E8", "boost, reroll and draw must be last; only risk can follow")


def _void_errors(effect: Effect) -> Iterator[Unreadable]:
    """Yield errors of `void` (E9): it stands once, as the first operation of a passive effect, and no operation after
    it takes an argument.
    """
    places = [place for place, one in enumerate(effect.operations) if isinstance(one, op.Void)]
    if not places:
        return
    if not effect.passive:
        yield Unreadable("E9", "void can only be used in a passive effect")
    if places != [0]:
        yield Unreadable("E9", "void must be first, and only once")
    if any(takes_arguments(one) for one in effect.operations):
        yield Unreadable("E9", "nothing after void takes an argument")
