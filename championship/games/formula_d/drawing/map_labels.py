"""Short texts on the map: a price, a gear, dice to be rolled."""

from __future__ import annotations

from django.utils.html import escape

HIGH = 13.0
LETTER, PADDING, NARROWEST = 5.4, 6.0, 15.0


def tag(text: str) -> str:
    """Return a plate around its middle, as wide as its text; a dot for an empty text."""
    if not text:
        return '<circle r="5"/>'
    wide = max(NARROWEST, len(text) * LETTER + PADDING)
    return (
        f'<rect x="{-wide / 2:.1f}" y="{-HIGH / 2}" width="{wide:.1f}" height="{HIGH}" rx="3.5"/>'
        f'<text dy="3.4">{escape(text)}</text>'
    )


def shift(place: int, count: int) -> float:
    """Return how far below the middle of its space the plate of a choice is drawn, when `count` choices share the
    space.
    """
    return (place - (count - 1) / 2) * (HIGH + 2)
