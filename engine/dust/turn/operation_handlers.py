"""The implementation of each operation (E7). Those on resources and on the car are here; dice and cards are
imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from engine.dust.cards import operations
from engine.dust.cards.operations import Operation
from engine.dust.turn import position_track
from engine.dust.turn.arguments import DIRECTION, SPACE, OperationHandler, takes
from engine.dust.turn.card_operations import ON_CARDS
from engine.dust.turn.dice import ON_DICE
from engine.dust.turn.step_context import Turn, refuse

# Resources


def _gain(turn: Turn, one: operations.Gain, words: Sequence[str]) -> None:
    amount = one.amount
    if one.thing is not None:
        amount = one.amount * (_count(turn, one.thing) // one.every)
        if one.most is not None:
            amount = min(amount, one.most)
    turn.gain(one.resource, amount)


def _count(turn: Turn, thing: str) -> int:
    me = turn.me
    if thing == "risk":
        return me["risk"]
    if thing == "removed":
        return len(me["removed"])
    if thing == "empty":
        return len(turn.cards.slots) - len(me["board"])
    return len(me["dice"]) if thing == "dice" else turn.paid


def _lose(turn: Turn, one: operations.Lose, words: Sequence[str]) -> None:
    turn.lose(one.resource, one.amount)


def _repair(turn: Turn, one: operations.Repair, words: Sequence[str]) -> None:
    """Return risk dice to the cockpit. Hits and tokens stay (R8)."""
    turn.me["risk"] = max(turn.me["risk"] - one.dice, 0)


# The car


def _directions(turn: Turn, one: operations.Move) -> list[tuple[str, ...]]:
    """Return the possible directions (M3). With a printed direction the only argument list is empty."""
    me = turn.me
    if one.direction is not None:
        return [()] if position_track.moved(turn.cards, me["space"], one.direction, one.spaces) else []
    return [(way,) for way in operations.DIRECTIONS if position_track.moved(turn.cards, me["space"], way, one.spaces)]


def _move(turn: Turn, one: operations.Move, words: Sequence[str]) -> None:
    end = position_track.moved(turn.cards, turn.me["space"], one.direction or words[0], one.spaces)
    if end is None:
        refuse("M3", "the move does not fit on the track")
    turn.me["space"] = end


def _shift(turn: Turn, one: Operation, words: Sequence[str]) -> None:
    turn.me["space"] = words[0]


def _shift_fits(turn: Turn, one: Operation, words: Sequence[str]) -> None:
    if words[0] not in turn.cards.shifts[turn.me["space"]]:
        refuse("M4", "the car's space does not lead there")


def _shift_ways(turn: Turn, one: Operation) -> Iterable[tuple[str, ...]]:
    return [(space,) for space in turn.cards.shifts[turn.me["space"]]]


def _centre(turn: Turn, one: Operation, words: Sequence[str]) -> None:
    turn.me["space"] = turn.cards.centre


HANDLERS: Final[dict[type[Operation], OperationHandler]] = {
    operations.Gain: OperationHandler(_gain),
    operations.Lose: OperationHandler(_lose),
    operations.Move: OperationHandler(
        _move,
        lambda turn, one: bool(_directions(turn, one)),
        lambda one: () if one.direction else (DIRECTION,),
        ways=_directions,
        rule="M3",
    ),
    operations.Shift: OperationHandler(_shift, takes=takes(SPACE), fits=_shift_fits, ways=_shift_ways),
    operations.Centre: OperationHandler(_centre),
    operations.Repair: OperationHandler(_repair, lambda turn, one: turn.me["risk"] > 0),
    **ON_DICE,
    **ON_CARDS,
}
"""Every operation but `risk` and `void`, which `engine.dust.turn.resolving` carries out."""
