"""Parsing a step (S8) into its words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from engine.dust.turn.step_context import refuse

PREPARE, ACCEPT, VOID, PLAY, USE, DO, DONE = "prepare", "accept", "void", "play", "use", "do", "done"
PASSIVE, BUY, PLACE, STEER, TUNE, RISK, BLOCK, END = (
    "passive",
    "buy",
    "place",
    "steer",
    "tune",
    "risk",
    "block",
    "end",
)
CHOOSE = "choose"
"""The step that chooses a character (U1). It is legal only in the phase of the same name (S8)."""

_SLOT = re.compile("[1-6]", re.ASCII)
_KIND = re.compile("[pbf]")
_EFFECT = re.compile("[1-9]", re.ASCII)
_COUNT = re.compile("[1-9][0-9]?", re.ASCII)
_SIDE = re.compile("left|right")
_PAIR = re.compile("[1-3]", re.ASCII)
_DIE = re.compile("[pbf][1-6]", re.ASCII)
_DIE_TO = re.compile("[pbf][1-6]=[1-6]", re.ASCII)
_CARD = re.compile(r".+", re.DOTALL)

_SHAPES: Final[dict[str, tuple[tuple[re.Pattern[str], ...], bool]]] = {
    PREPARE: ((), True),
    ACCEPT: ((), False),
    VOID: ((_SLOT,), False),
    PLAY: ((_CARD, _SLOT), False),
    USE: ((_SLOT, _KIND), False),
    DO: ((_EFFECT,), True),
    DONE: ((), False),
    PASSIVE: ((_SLOT,), True),
    BUY: ((_CARD,), False),
    PLACE: ((_COUNT,), False),
    STEER: ((_SIDE, _COUNT), False),
    TUNE: ((_DIE_TO,), False),
    RISK: ((), False),
    BLOCK: ((_PAIR, _DIE), False),
    END: ((), False),
    CHOOSE: ((_CARD,), False),
}
"""The arguments of each step, in order, and whether any number of words may follow (S8)."""


def read(step: str) -> tuple[str, list[str]]:
    """Return the first word of a step, and the other words.

    Raises: RuleError (S8) when the step cannot be read.
    """
    first, words = _read(step)
    return first, list(words)


@lru_cache(maxsize=4096)
def _read(step: str) -> tuple[str, tuple[str, ...]]:
    """Parse a step. Cached, because codrivers try the same steps many times."""
    first, *words = step.split() or [""]
    shape = _SHAPES.get(first)
    if shape is None:
        refuse("S8", "there is no such step")
    kinds, more = shape
    if len(words) < len(kinds) or (len(words) > len(kinds) and not more):
        refuse("S8", "the step has more or fewer words than it takes")
    if not all(kind.fullmatch(word) for kind, word in zip(kinds, words, strict=False)):
        refuse("S8", "the step cannot be read")
    return first, tuple(words)
