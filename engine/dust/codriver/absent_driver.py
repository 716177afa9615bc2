"""The driving of an absent driver (S10): the simplest legal steps. Codrivers use parts of it."""

from __future__ import annotations

from engine.dust import characters
from engine.dust.cards.card_set import CardSet
from engine.dust.state import CHOOSE, PREPARE, Open, Table
from engine.dust.turn import driving, resolving, steps
from engine.dust.turn.preparation import hand_limit
from engine.dust.turn.step_context import Turn


def next_step(table: Table, name: str, cards: CardSet) -> str:
    """Return the next step of an absent driver, at any point of a turn."""
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
    """Return `choose` with the first free character (U1)."""
    return f"{steps.CHOOSE} {characters.free(turn.table, turn.cards)[0]}"


def prepare(turn: Turn) -> str:
    """Return `prepare`. When the hand has too many cards, it gives up the first ones in alphabetical order (Q3)."""
    over = max(len(turn.me["hand"]) - hand_limit(turn), 0)
    return " ".join([steps.PREPARE, *turn.me["hand"][:over]])


def closing(turn: Turn, opened: Open) -> str:
    """Return the step for the first mandatory effect left, with the first arguments in alphabetical order;
    else `done`.
    """
    effects = driving.effects_of(turn, opened)
    turn.this = opened["slot"]
    for number in opened["left"]:
        effect = effects[number - 1]
        if effect.must and resolving.holds(turn, effect):
            return " ".join([steps.DO, str(number), *min(resolving.ways(turn, effect))])
    return steps.DONE
