"""A capability: turns of a run that is over as questions, and the exact value of every answer.

An answer is never compared with one right answer. It is weighed: the measure to expect after it, by the same values as
the ledger's (contract/ledger.py). So every way that is as good as the best one is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from engine.contract.core import Measure
from engine.contract.values import Json, Orders, SeatName, State


@dataclass(frozen=True, slots=True)
class Weighed:
    """A way and what it is worth. `orders` bring it. `value`: the measure to expect after it, before anything is drawn,
    in hundredths of the unit of its `Scale`. `chances`: what may happen, by a word of the game, each in thousandths.
    """

    orders: Orders
    value: int
    chances: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Question:
    """A turn as a question. `best`: the best way that the game's search finds. `second`: the best of the ways that give
    up more than `EQUAL` against it; None where every way is as good. `obvious`: the way of a driver who looks no
    further than this turn; None where a turn has no such way. `ways`: how many ways with a value of their own there
    are. `themes`: words of the game for what the best way is about.
    """

    best: Weighed
    second: Weighed | None
    obvious: Weighed | None
    ways: int
    themes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scale:
    """What counts in the questions of a game. All amounts are in hundredths of the unit of `measure`, in which values
    are: as in a ledger, it may be another one than the game's.

    `equal`: ways that give up no more than this against the best one count as equally good. A puzzle has `ways` ways at
    least, and its best way beats every other one by `least`, and by `share` thousandths of the expected result. The
    obvious way gives up at least `obvious`, where that is more. `whole_turns`: a turn is asked at its beginning only,
    for every decision in it.
    """

    measure: Measure
    equal: int
    least: int
    share: int
    ways: int
    obvious: int = 0
    whole_turns: bool = False


@runtime_checkable
class Puzzles(Protocol):
    """A capability: questions from situations. `puzzle_version` changes when the same answer gets another value.
    `puzzle_themes`: every theme that a question may have. `puzzle_scale`: what counts.
    """

    puzzle_version: str
    puzzle_themes: tuple[str, ...]
    puzzle_scale: Scale

    def question(self, state: State, seat: SeatName) -> Question | None:
        """Return what can be asked of a seat that is to play; None where there is nothing to choose, and in a step of
        the turn that has no values. It may take a second.
        """

    def prepared(self, state: State, seat: SeatName) -> Json:
        """Return what makes `weighed` fast for this situation. It can be stored; None where nothing helps."""

    def weighed(self, state: State, seat: SeatName, orders: Orders, prepared: Json = None) -> Weighed:
        """Return what a way is worth, by whatever orders it is brought. Nothing is drawn.

        Raises: RuleError for orders that are illegal here, and for those that have no value (retiring).
        """
