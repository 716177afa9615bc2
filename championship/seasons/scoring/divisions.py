"""Divisions of a season: their final order, who moves up or down, and how drivers are seeded into them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from championship.seasons.scoring import tables
from championship.seasons.scoring.values import Move, Season


def order_in(season: Season, division: str) -> list[tuple[str, int | None]]:
    """Return the drivers who stand in a division, the first of its table first, each with the place in that table.
    Drivers without a result come last, in the order of their names, with None.
    """
    stand = tables.standing(season)
    lines = [line for line in tables.in_class(season, division) if stand.get(line.subject) == division]
    placed = {line.subject for line in lines}
    missing = sorted(driver for driver, own in stand.items() if own == division and driver not in placed)
    return [*((line.subject, line.place) for line in lines), *((driver, None) for driver in missing)]


def moves(season: Season) -> list[Move]:
    """Return who changes the division: the last of a higher one go down, the first of the lower one go up. A division
    is the class of that name. Nobody moves twice: who goes up from a division does not go down from it.
    """
    divisions = season.scheme.divisions
    if divisions is None:
        return []
    orders = {name: order_in(season, name) for name in divisions.names}
    found: list[Move] = []
    for higher, lower in zip(divisions.names, divisions.names[1:], strict=False):
        leaving = {one.driver for one in found if one.before == higher}
        staying = [driver for driver, _place in orders[higher] if driver not in leaving]
        down = staying[max(0, len(staying) - divisions.down) :]
        up = [driver for driver, _place in orders[lower]][: divisions.up]
        found += _moving(orders[higher], down, higher, lower)
        found += _moving(orders[lower], up, lower, higher)
    return found


def _moving(order: Sequence[tuple[str, int | None]], drivers: Sequence[str], before: str, after: str) -> list[Move]:
    places = dict(order)
    ranks = {driver: rank for rank, (driver, _place) in enumerate(order, 1)}
    return [
        Move(
            driver,
            before,
            after,
            ranks[driver],
            tuple(other for other, place in order if place == places[driver] and other not in drivers),
        )
        for driver in drivers
    ]


def after(season: Season) -> dict[str, str]:
    """Return the division of each driver after the season, the highest division first, in the order of the old tables:
    who comes from above goes before those who stay, and who comes from below behind them.
    """
    divisions = season.scheme.divisions
    if divisions is None:
        return {}
    moved = {one.driver: one.after for one in moves(season)}
    ordered = [driver for name in divisions.names for driver, _place in order_in(season, name)]
    stand = tables.standing(season)
    found = {driver: moved.get(driver, stand[driver]) for driver in ordered}
    return dict(sorted(found.items(), key=lambda pair: divisions.names.index(pair[1])))


def seeded(order: Iterable[str], sizes: Mapping[str, int]) -> dict[str, str]:
    """Return a division for each driver of a list, the best first: each division takes as many as its size, and who is
    behind them is left out. Sizes of 0 everywhere: the divisions are as even as they can be, the higher ones larger.
    """
    drivers, names = list(dict.fromkeys(order)), list(sizes)
    if not any(sizes.values()):
        whole, rest = divmod(len(drivers), len(names) or 1)
        sizes = {name: whole + (at < rest) for at, name in enumerate(names)}
    places = [name for name in names for _place in range(sizes[name])]
    return dict(zip(drivers, places, strict=False))
