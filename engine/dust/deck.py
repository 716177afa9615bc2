"""Drawing cards (Q4) and shuffling the discard pile in."""

from __future__ import annotations

from engine.dust.step_context import CARDS, Turn, added


def can_draw(turn: Turn) -> bool:
    """Say whether there is a card to draw."""
    me = turn.me
    return bool(me["top"] or me["deck"] or me["discard"])


def draw(turn: Turn) -> bool:
    """Draw one card into the hand (Q4): a known one from the top first, else one of the deck by chance.

    Return whether there was one.
    """
    me = turn.me
    if not me["top"] and not me["deck"]:
        me["deck"], me["discard"] = me["discard"], []
    if me["top"]:
        me["hand"] = added(me["hand"], me["top"][-1])
        me["top"] = me["top"][:-1]
    elif me["deck"]:
        drawn = turn.draw(CARDS, me["deck"])
        place = me["deck"].index(drawn)
        me["deck"] = me["deck"][:place] + me["deck"][place + 1 :]
        me["hand"] = added(me["hand"], drawn)
    else:
        return False
    return True


def shuffle(turn: Turn) -> None:
    """Put the discard pile into the deck; known cards on top are shuffled in (E7)."""
    me = turn.me
    me["deck"] = sorted([*me["deck"], *me["top"], *me["discard"]])
    me["top"], me["discard"] = [], []


def owned(turn: Turn, name: str) -> int:
    """Return the copies of a card that a driver owns, removed ones included, ordered ones not (A4)."""
    me = turn.me
    lists = (me["hand"], me["deck"], me["top"], me["discard"], me["removed"])
    return sum(cards.count(name) for cards in lists) + sum(laid["card"] == name for laid in me["board"].values())
