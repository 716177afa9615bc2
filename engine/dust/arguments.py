"""How an operation is carried out: what it is told (E5), when it is possible, what fits (E6)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.dust import operations
from engine.dust.facts import facts
from engine.dust.state import POPULARITY
from engine.dust.step_context import Turn

Fits = Callable[[Turn, Any, Sequence[str]], None]
Ways = Callable[[Turn, Any], Iterable[tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Carrying:
    """How one operation is carried out.

    `takes` names the kind of each argument (E5). `fits` refuses arguments that are well written and do not fit.
    `ways` gives all arguments that fit. `rule` is the one that an impossible operation is refused under (E6, M3).
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
"""E5: what can be written badly. Every CARD, SPACE and DIE is well written."""


def well_written(kind: str, word: str) -> bool:
    """Say whether an argument is written as its kind is (E5)."""
    shape = _WELL_WRITTEN.get(kind)
    return shape is None or shape.fullmatch(word) is not None


def value(die: str) -> int:
    """Return what a die shows."""
    return int(die[1])


def may_show(turn: Turn, kind: str, shown: int) -> bool:
    """Say whether a die of this kind may show a value (D5)."""
    return shown in turn.cards.popularity_values if kind == POPULARITY else 1 <= shown <= facts().faces


def takes(*kinds: str) -> Callable[[Any], tuple[str, ...]]:
    """Return what an operation takes, whatever its words."""
    return lambda one: kinds
