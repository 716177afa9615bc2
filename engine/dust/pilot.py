"""An absent driver (S10): the floor under every codriver."""

from __future__ import annotations

from engine.dust import characters, driving, resolving, steps
from engine.dust.cards import CardSet
from engine.dust.preparation import hand_limit
from engine.dust.state import CHOOSE, PREPARE, Open, Table
from engine.dust.step_context import Turn


def next_step(table: Table, name: str, cards: CardSet) -> str:
    """Return the next step of a driver who is away, whatever the turn has come to."""
    turn = Turn(table, name, cards, None)
    me = turn.me
    if me["phase"] == CHOOSE:
        return choose(turn)
    if me["phase"] == PREPARE:
        return prepare(turn)
    if me["pending"] is not None:
        return steps.ACCEPT
    if me["open"] is not None:
        return closing(turn, me["open"])
    return steps.END


def choose(turn: Turn) -> str:
    """`choose`: the first character that nobody drives (U1)."""
    return f"{steps.CHOOSE} {characters.free(turn.table, turn.cards)[0]}"


def prepare(turn: Turn) -> str:
    """`prepare`, giving up the cards first in the alphabet where there are too many (Q3)."""
    over = max(len(turn.me["hand"]) - hand_limit(turn), 0)
    return " ".join([steps.PREPARE, *turn.me["hand"][:over]])


def closing(turn: Turn, opened: Open) -> str:
    """The first mandatory effect that is left, its choices the first in the alphabet; else `done`."""
    effects = driving.effects_of(turn, opened)
    turn.this = opened["slot"]
    for number in opened["left"]:
        effect = effects[number - 1]
        if effect.must and resolving.holds(turn, effect):
            return " ".join([steps.DO, str(number), *min(resolving.ways(turn, effect))])
    return steps.DONE
