"""Carry out one step of one driver: check the turn, call the step, and close the round after the last turn (S2, S4,
S8).

The four phases of a round (S1) are one turn of each driver, from `prepare` to `end`, and the closing. The choices of
the preparation phase are arguments of the next `prepare` (S5).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from engine.dust import characters, closing
from engine.dust.cards.card_set import CardSet
from engine.dust.orders import settle
from engine.dust.state import CHOOSE, DONE, DRIVE, OUT, PREPARE, Table, still_in
from engine.dust.turn import damage, driving, preparation, special, steps
from engine.dust.turn.step_context import Draws, Turn, refuse


def to_play(table: Table) -> list[str]:
    """Return the drivers who are to play, in starting order (S2, T3). Characters are chosen one after the
    other (U1).
    """
    if table["over"]:
        return []
    drivers = table["drivers"]
    choosing = [name for name in table["order"] if drivers[name]["phase"] == CHOOSE]
    if choosing:
        return choosing[:1]
    waiting = [name for name in table["order"] if drivers[name]["phase"] in (PREPARE, DRIVE)]
    if not table["training"]:
        return waiting
    return [
        name
        for name in waiting
        if name == waiting[0] or drivers[name]["phase"] == PREPARE or drivers[name]["pending"] is not None
    ]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a step: the run after it, the turn, the run before the round closed, and the facts of
    the closing.
    """

    table: Table
    turn: Turn
    before_closing: Table
    closing: dict[str, Any] | None = None


def carry_out(table: Table, name: str, step: str, cards: CardSet, draws: Draws | None) -> Outcome:
    """Carry out one step. The given table does not change.

    Raises: RuleError when the step is refused.
    Raises: NoChance when the step draws and no chance was given.
    """
    if name not in to_play(table):
        refuse("S2", "it is not this driver's turn")
    turn = Turn(table, name, cards, draws)
    act(turn, *steps.read(step))
    return ended(table, turn)


def ended(table: Table, turn: Turn) -> Outcome:
    """Put a turn back into the run, and close the round if this was the last turn (S4)."""
    name, ending = turn.name, turn.me["phase"] in (DONE, OUT)
    if ending and table["drivers"][name]["phase"] not in (DONE, OUT):
        turn.me["turns"] += 1
    new: Table = {**table, "drivers": {**table["drivers"], name: turn.me}, "ghost": turn.ghost}
    if table["drivers"][name]["phase"] == CHOOSE and not ending:
        new["opened"] = new["drivers"]
    if new["training"] and turn.me["phase"] == DONE:
        new, _ = settle(new, [name], turn.cards)
    if ending and closing.all_ended(new):
        closed, told = closing.close(new, turn.cards)
        return Outcome(closed, turn, new, told)
    return Outcome(new, turn, new)


def resign(table: Table, name: str, cards: CardSet) -> Outcome:
    """Take a driver out of the race for good, at any time before the end, like a wrecked driver (R5).

    Raises: RuleError (S2) when the driver is out already or the game is over.
    """
    if table["over"] or name not in still_in(table):
        refuse("S2", "this driver has left the race")
    turn = Turn(table, name, cards, None)
    damage.wreck(turn)
    turn.me["resigned"] = True
    return ended(table, turn)


def act(turn: Turn, first: str, words: list[str]) -> None:
    """Carry out a parsed step. It changes the turn. Each step checks its rules in the order of the table in
    chapter S.
    """
    if turn.me["phase"] == CHOOSE:
        characters.choose(turn, first, words)
        return
    carried_out = _STEPS.get(first)
    if carried_out is None:
        refuse("S8", "there is no such step")
    carried_out(turn, words)


def _tune(turn: Turn, words: list[str]) -> None:
    die, _, shown = words[0].partition("=")
    special.tune(turn, die, int(shown))


_STEPS: Final[Mapping[str, Callable[[Turn, list[str]], None]]] = {
    steps.PREPARE: preparation.prepare,
    steps.ACCEPT: lambda turn, _: preparation.accept(turn),
    steps.VOID: lambda turn, words: preparation.void(turn, words[0]),
    steps.PLAY: lambda turn, words: driving.play(turn, words[0], words[1]),
    steps.USE: lambda turn, words: driving.use(turn, words[0], words[1]),
    steps.DO: lambda turn, words: driving.do(turn, int(words[0]), words[1:]),
    steps.DONE: lambda turn, _: driving.done(turn),
    steps.PASSIVE: lambda turn, words: driving.passive(turn, words[0], words[1:]),
    steps.BUY: lambda turn, words: driving.buy(turn, words[0]),
    steps.PLACE: lambda turn, words: driving.place(turn, int(words[0])),
    steps.STEER: lambda turn, words: special.steer(turn, words[0], int(words[1])),
    steps.TUNE: _tune,
    steps.RISK: lambda turn, _: special.risk(turn),
    steps.BLOCK: lambda turn, words: special.block(turn, int(words[0]), words[1]),
    steps.END: lambda turn, _: driving.end(turn),
}
"""The function of each step, by its first word."""
