"""A card's effects (E1 to E4): how they are read, and what may not stand together (E8, E9)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.dust import operations as op
from engine.dust.operations import Operation, Unreadable

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
    """What an effect costs (E1). `amount` None: all there is, at least 1 (E4)."""

    resource: str
    amount: int | None


@dataclass(frozen=True, slots=True)
class Effect:
    """One numbered effect of a card."""

    operations: tuple[Operation, ...]
    conditions: tuple[Condition, ...] = ()
    payment: Payment | None = None
    must: bool = False
    passive: bool = False
    voids: bool = False


def condition(word: str, *, faces: int) -> Condition:
    """One condition in a card's words.

    Raises: Unreadable, naming E3.
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
    """What is paid, in a card's words.

    Raises: Unreadable, naming E1 or E2.
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
    """One effect as a card set writes it, and everything that is wrong with it; None when it cannot be read."""
    if not isinstance(table, Mapping):
        return None, [Unreadable("E1", "an effect is a table")]
    wrong = list(_keys(table))
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
    )
    wrong += _together(effect, on_stage=on_stage)
    return (None if wrong else effect), wrong


def _keys(table: Mapping[str, Any]) -> Iterator[Unreadable]:
    """E1: the keys of an effect and what stands in them."""
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


def _together(effect: Effect, *, on_stage: bool) -> Iterator[Unreadable]:
    """What may not stand together in one effect (E3, E8, E9)."""
    if (effect.passive or on_stage) and any(one.kind in ("die", "opened") for one in effect.conditions):
        yield Unreadable("E3", "die= and kind= stand neither in a passive effect nor on a stage card")
    yield from _chance(effect.operations)
    if effect.must and effect.payment:
        yield Unreadable("E9", "a mandatory effect has no pay")
    if effect.must and effect.passive:
        yield Unreadable("E9", "a mandatory effect is not passive")
    if on_stage and effect.passive:
        yield Unreadable("E9", "a stage card has no passive effect")
    if on_stage and any(_this(one) for one in effect.operations):
        yield Unreadable("E9", "a stage card has no this")
    yield from _void(effect)
    if effect.passive and any(_this(one) for one in effect.operations):
        if sum(_this(one) for one in effect.operations) > 1:
            yield Unreadable("E9", "a passive effect has this once at most")
        if any(_shuffles_board(one) for one in effect.operations):
            yield Unreadable("E9", "a passive effect with this has no other operation that takes or moves cards")


def _this(one: Operation) -> bool:
    return isinstance(one, op.Discard | op.Remove) and one.which == "this"


def _shuffles_board(one: Operation) -> bool:
    """E9: takes cards off the board or moves them, other than `this`."""
    return isinstance(one, op.Swap | op.Return) or (isinstance(one, op.Discard | op.Remove) and one.which != "this")


def takes_arguments(one: Operation) -> bool:
    """E7: the driver tells it something."""
    if isinstance(one, op.Move):
        return one.direction is None
    if isinstance(one, op.Discard | op.Remove):
        return one.which == "any"
    return isinstance(one, op.Shift | op.SetOne | op.Nudge | op.Reroll | op.Return | op.CoverAny | op.Swap | op.Take)


def _chance(operations: Sequence[Operation]) -> Iterator[Unreadable]:
    """E8: `boost`, `reroll`, `draw` once and last but for `risk`; `risk` once and very last."""
    rolls = [place for place, one in enumerate(operations) if isinstance(one, op.Boost | op.Reroll | op.Draw)]
    risks = [place for place, one in enumerate(operations) if isinstance(one, op.Risk)]
    end = len(operations) - 1
    if len(risks) > 1:
        yield Unreadable("E8", "risk stands once in an effect")
    elif risks and risks[0] != end:
        yield Unreadable("E8", "risk is the very last operation")
    if len(rolls) > 1:
        yield Unreadable("E8", "one of boost, reroll, draw stands in an effect, once")
    elif rolls and rolls[0] != end and not (rolls[0] == end - 1 and risks):
        yield Unreadable("E8", "boost, reroll and draw are the last operation but for risk")


def _void(effect: Effect) -> Iterator[Unreadable]:
    """E9: `void` first and once, in a passive effect, and nothing after it takes an argument."""
    places = [place for place, one in enumerate(effect.operations) if isinstance(one, op.Void)]
    if not places:
        return
    if not effect.passive:
        yield Unreadable("E9", "void stands in a passive effect")
    if places != [0]:
        yield Unreadable("E9", "void stands first and once")
    if any(takes_arguments(one) for one in effect.operations):
        yield Unreadable("E9", "nothing after void takes an argument")
