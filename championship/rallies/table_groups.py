"""How a start list is shared out among tables of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from engine.contract import Game, Heats, Seats, offered

T = TypeVar("T")


def shared_out(places: Sequence[T], rules: Game, options: Mapping[str, Any], most: int = 0) -> list[list[T]]:
    """Return the places in groups for one table each of a game: heats where it has them, else `tables`. `most`: so many
    at a table where that is fewer than the game takes; 0 for as many as it takes.
    """
    dealing = offered(rules, Heats)
    if dealing is None:
        seats = rules.seats
        return tables(places, Seats(seats.least, max(seats.least, min(most, seats.most))) if most else seats)
    return dealt(places, dealing.heats(len(places), options))


def dealt(places: Sequence[T], sizes: Sequence[int]) -> list[list[T]]:
    """Return the places dealt out one by one like cards among groups of these sizes, in their order within each."""
    groups: list[list[T]] = [[] for _ in sizes]
    rest = iter(places)
    for turn in range(max(sizes, default=0)):
        for group, size in zip(groups, sizes, strict=True):
            if turn < size:
                group.append(next(rest))
    return groups


def tables(places: Sequence[T], seats: Seats) -> list[list[T]]:
    """Return the places in groups for one table each, in their order and as full as the game has seats. Where too few
    are left for the last table, those before it give some of theirs.
    """
    groups = [list(places[first : first + seats.most]) for first in range(0, len(places), seats.most)]
    for number in range(len(groups) - 1, 0, -1):
        lacking = seats.least - len(groups[number])
        if lacking > 0:
            groups[number] = groups[number - 1][-lacking:] + groups[number]
            del groups[number - 1][-lacking:]
    return groups
