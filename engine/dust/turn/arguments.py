"""The interface of operations: their arguments (E5), when they are possible, and which arguments fit (E6)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.dust.cards import operations
from engine.dust.facts import facts
from engine.dust.state import POPULARITY
from engine.dust.turn.step_context import Turn

Fits = Callable[[Turn, Any, Sequence[str]], None]
Ways = Callable[[Turn, Any], Iterable[tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class OperationHandler:
    """The functions of one operation.

    `do` carries it out. `possible` says whether it can be done at all. `takes` returns the kind of each argument (E5).
    `fits` refuses arguments that are well written but do not fit. `ways` returns all arguments that fit. `rule` is the
    rule for refusing an impossible operation (E6, M3).
    """

    do: Callable[[Turn, Any, Sequence[str]], None]
    possible: Callable[[Turn, Any], bool] = lambda turn, one: True
    takes: Callable[[Any], tuple[str, ...]] = lambda one: ()
    fits: Fits = lambda turn, one, words: None
    ways: Ways = lambda turn, one: [()]
    rule: str = "E6"


DIRECTION, SLOT, CARD, SPACE, DIE, DIE_TO = "direction", "slot", "card", "space", "die", "die=value"

_WELL_WRITTEN: Final = {
    DIRECTION: re.compile("|".join(operations.DIRECTIONS)),
    SLOT: re.compile("[1-6]", re.ASCII),
    DIE_TO: re.compile("[pbf][1-6]=[1-6]", re.ASCII),
}
"""The patterns of arguments (E5). Any word is a well-written CARD, SPACE or DIE."""


def well_written(kind: str, word: str) -> bool:
    """Return whether a word has the form of this kind of argument (E5)."""
    shape = _WELL_WRITTEN.get(kind)
    return shape is None or shape.fullmatch(word) is not None


def value(die: str) -> int:
    """Return the value that a die shows."""
    return int(die[1])


def may_show(turn: Turn, kind: str, shown: int) -> bool:
    """Return whether a die of this kind may show a value (D5)."""
    return shown in turn.cards.popularity_values if kind == POPULARITY else 1 <= shown <= facts().faces


def takes(*kinds: str) -> Callable[[Any], tuple[str, ...]]:
    """Return a `takes` function for an operation whose arguments always have these kinds."""
    return lambda one: kinds
