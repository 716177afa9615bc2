"""Characters: their decks, and the choice of one before the first round (U1, U4)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.dust.cards.card_set import DRIVER, START, CardSet
from engine.dust.state import PREPARE, Table
from engine.dust.turn import steps
from engine.dust.turn.step_context import Turn, refuse


def free(table: Table, cards: CardSet) -> list[str]:
    """Return the characters that no driver has yet, in the order of the set."""
    taken = {driver["driver"] for driver in table["drivers"].values()}
    return [name for name in cards.characters if name not in taken]


def own(cards: CardSet, character: str) -> list[str]:
    """Return the names of a character's cards, without copies (C4)."""
    return [card.name for card in cards.cards.values() if card.set == DRIVER and card.driver == character]


def deck(cards: CardSet, character: str, *, training: bool) -> list[str]:
    """Return a driver's deck at the start, sorted (U4). On the training stage cards of the piles replace the
    character's cards (T2).
    """
    found = [card.name for card in cards.cards.values() if card.set == START for _ in range(card.copies)]
    if training:
        return sorted([*found, *cards.training_deck])
    return sorted([*found, *(name for name in own(cards, character) for _ in range(cards.cards[name].copies))])


def choose(turn: Turn, first: str, words: Sequence[str]) -> None:
    """Carry out `choose CHARACTER`: take a free character (U1). `prepare` is the next step."""
    if first != steps.CHOOSE:
        refuse("U1", "choose a character first")
    if words[0] not in turn.cards.characters:
        refuse("U1", "there is no such character")
    if words[0] not in free(turn.table, turn.cards):
        refuse("U1", "each driver needs a different character")
    turn.me["driver"] = words[0]
    turn.me["deck"] = deck(turn.cards, words[0], training=turn.table["training"])
    turn.me["phase"] = PREPARE
