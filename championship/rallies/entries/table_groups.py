"""Dividing a start list into tables of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from engine.contract import Game, Heats, Seats, offered

T = TypeVar("T")


def divide_into_tables(places: Sequence[T], rules: Game, options: Mapping[str, Any], most: int = 0) -> list[list[T]]:
    """Divide the places into groups, one for each table: by the game's heats when it has them, else by `tables`.

    `most`: the maximum at a table, when it is less than the game's maximum; 0 for the game's maximum. Heats ignore it.
    """
    dealing = offered(rules, Heats)
    if dealing is None:
        seats = rules.seats
        return tables(places, Seats(seats.least, max(seats.least, min(most, seats.most))) if most else seats)
    return deal(places, dealing.heats(len(places), options))


def deal(places: Sequence[T], sizes: Sequence[int]) -> list[list[T]]:
    """Deal the places one by one, like cards, to groups of these sizes. Each group keeps the order."""
    groups: list[list[T]] = [[] for _ in sizes]
    rest = iter(places)
    for turn in range(max(sizes, default=0)):
        for group, size in zip(groups, sizes, strict=True):
            if turn < size:
                group.append(next(rest))
    return groups


def tables(places: Sequence[T], seats: Seats) -> list[list[T]]:
    """Divide the places into groups in their order, each as full as the game has seats. When the last table has too few
    cars, it gets some from the tables before it.
    """
    groups = [list(places[first : first + seats.most]) for first in range(0, len(places), seats.most)]
    for number in range(len(groups) - 1, 0, -1):
        lacking = seats.least - len(groups[number])
        if lacking > 0:
            groups[number] = groups[number - 1][-lacking:] + groups[number]
            del groups[number - 1][-lacking:]
    return groups
