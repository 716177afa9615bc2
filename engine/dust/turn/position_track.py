"""The position track (M1 to M5): the end of a move, and whether it fits on the track."""

from __future__ import annotations

from engine.dust.cards.card_set import CardSet, Order
from engine.dust.cards.operations import DIRECTIONS
from engine.dust.facts import facts
from engine.dust.turn.step_context import Turn

LEFT = DIRECTIONS[0]


def row(space: str) -> str:
    """Return the row of a space (M1)."""
    return space[0]


def moved(cards: CardSet, space: str, direction: str, spaces: int) -> str | None:
    """Return the space after a move of so many spaces in the row; None when the move does not fit (M3)."""
    spaces_of_row = cards.rows[row(space)]
    end = spaces_of_row.index(space) + (-spaces if direction == LEFT else spaces)
    return spaces_of_row[end] if 0 <= end < len(spaces_of_row) else None


def ordered(turn: Turn, order: Order) -> bool:
    """Carry out an order to move (M2). Return whether the end of the track stopped the car."""
    longer = sum(turn.flipped(token) for token in facts().tokens.longer_moves)
    spaces_of_row = turn.cards.rows[row(turn.me["space"])]
    way = -1 if order.direction == LEFT else 1
    end = spaces_of_row.index(turn.me["space"]) + way * (order.spaces + longer)
    stop = min(max(end, 0), len(spaces_of_row) - 1)
    turn.me["space"] = spaces_of_row[stop]
    return stop != end
