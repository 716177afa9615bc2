"""The luggage of a car from stage to stage of a rally: its character, and its flipped tokens if damage carries (F6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.contract import Json, Luggage

CHARACTER, FLIPPED = "character", "flipped"


def new_luggage() -> Luggage:
    """Return the luggage of a car before the first stage, without a character."""
    return {CHARACTER: "", FLIPPED: 0}


def after_stage(luggage: Luggage, *, service: bool) -> Luggage:
    """Return the luggage after a stage. Service flips all its tokens back (F6)."""
    return {**luggage, FLIPPED: 0} if service else luggage or new_luggage()


def starting_order(totals: Mapping[str, int], last: Mapping[str, int], lots: Sequence[str]) -> list[str]:
    """Return the starting order of a later stage: by total points, then by points in the last stage, the most first,
    then by the order of `lots`.
    """
    return sorted(totals, key=lambda seat: (-totals[seat], -last[seat], lots.index(seat)))


def sheet_row(luggage: Luggage) -> dict[str, Json]:
    """Return an empty row, because the rally sheet shows only points.

    Raises: ValueError when the luggage has a value that a car of this game cannot have.
    """
    if not isinstance(luggage.get(CHARACTER, ""), str) or type(luggage.get(FLIPPED, 0)) is not int:
        raise ValueError("a car brings a character and a number of flipped tokens")
    return {}
