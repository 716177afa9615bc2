"""Drawing cards (Q4), and shuffling the discard pile into the deck."""

from __future__ import annotations

from engine.dust.turn.step_context import CARDS, Turn, with_one_added


def can_draw(turn: Turn) -> bool:
    """Return whether there is a card to draw."""
    me = turn.me
    return bool(me["top"] or me["deck"] or me["discard"])


def draw(turn: Turn) -> bool:
    """Draw one card into the hand (Q4): a known card from the top if there is one, else a random card of the deck.

    Return whether there was a card.
    """
    me = turn.me
    if not me["top"] and not me["deck"]:
        me["deck"], me["discard"] = me["discard"], []
    if me["top"]:
        me["hand"] = with_one_added(me["hand"], me["top"][-1])
        me["top"] = me["top"][:-1]
    elif me["deck"]:
        drawn = turn.draw(CARDS, me["deck"])
        place = me["deck"].index(drawn)
        me["deck"] = me["deck"][:place] + me["deck"][place + 1 :]
        me["hand"] = with_one_added(me["hand"], drawn)
    else:
        return False
    return True


def shuffle(turn: Turn) -> None:
    """Shuffle the discard pile, and the known cards on top, into the deck (E7)."""
    me = turn.me
    me["deck"] = sorted([*me["deck"], *me["top"], *me["discard"]])
    me["top"], me["discard"] = [], []


def owned(turn: Turn, name: str) -> int:
    """Return how many copies of a card a driver owns, with removed copies and without ordered ones (A4)."""
    me = turn.me
    lists = (me["hand"], me["deck"], me["top"], me["discard"], me["removed"])
    return sum(cards.count(name) for cards in lists) + sum(laid["card"] == name for laid in me["board"].values())
