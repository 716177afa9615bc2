"""What a car brings from stage to stage of a rally: its character, and flipped tokens where damage carries (F6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.contract import Json, Luggage

CHARACTER, FLIPPED = "character", "flipped"


def new_luggage() -> Luggage:
    """Return a car before the first stage: it has no character yet."""
    return {CHARACTER: "", FLIPPED: 0}


def after_stage(luggage: Luggage, *, service: bool) -> Luggage:
    """Return the car as it leaves a stage. Service turns its tokens back (F6)."""
    return {**luggage, FLIPPED: 0} if service else luggage or new_luggage()


def starting_order(totals: Mapping[str, int], last: Mapping[str, int], lots: Sequence[str]) -> list[str]:
    """Return the starting order of a later stage: the most points first, then those of the last stage, then lots."""
    return sorted(totals, key=lambda seat: (-totals[seat], -last[seat], lots.index(seat)))


def sheet_row(luggage: Luggage) -> dict[str, Json]:
    """Return nothing: the sheet keeps points alone.

    Raises:
        ValueError: no car of this game brings such a thing.
    """
    if not isinstance(luggage.get(CHARACTER, ""), str) or type(luggage.get(FLIPPED, 0)) is not int:
        raise ValueError("a car brings a character and a number of flipped tokens")
    return {}
