"""The score at the end (F2 to F5)."""

from __future__ import annotations

from dataclasses import dataclass

from engine.dust.cards.card_set import CardSet
from engine.dust.facts import facts
from engine.dust.state import GHOST, OUT, Driver, Table


@dataclass(frozen=True, slots=True)
class Standing:
    """The result of one driver or of the ghost. A wrecked driver has no points (F2), the ghost has no time (F5)."""

    points: int | None
    place: int
    seconds: int | None


def standings(table: Table, cards: CardSet) -> dict[str, Standing]:
    """Return the results of all drivers, and of the ghost under its ID."""
    scored = _points(table, cards)
    places = _places(table, scored)
    times = _seconds(table, scored, cards)
    return {name: Standing(scored.get(name), places[name], times.get(name)) for name in places}


def end_points(driver: Driver, cards: CardSet) -> int:
    """Return the points of a driver's cards, and of the risk dice in the pool (F2)."""
    held = [*driver["deck"], *driver["top"], *driver["hand"], *driver["discard"]]
    held += [laid["card"] for laid in driver["board"].values()]
    return sum(cards.cards[name].points for name in held) + cards.score.risk_die * driver["risk"]


def _points(table: Table, cards: CardSet) -> dict[str, int]:
    """Return the points of all who are not wrecked: speed, cards and risk dice (F2), popularity (F3)."""
    points: dict[str, int] = {}
    popularity: dict[str, int] = {}
    for name, driver in table["drivers"].items():
        if driver["phase"] != OUT:
            points[name] = driver["speed"] + end_points(driver, cards)
            popularity[name] = driver["popularity"]
    if table["ghost"] is not None:  # the ghost has no cards, and its risk dice cost nothing (G6)
        points[GHOST] = table["ghost"]["speed"]
        popularity[GHOST] = table["ghost"]["popularity"]
    numbers = sorted({one for one in popularity.values() if one >= 1}, reverse=True)
    for number, bonus in zip(numbers, (cards.score.popularity_first, cards.score.popularity_second), strict=False):
        for name, one in popularity.items():
            points[name] += bonus if one == number else 0
    return points


def _places(table: Table, points: dict[str, int]) -> dict[str, int]:
    """Return the places by points, then popularity, then fewer tokens. Wrecked drivers share the last place (F4)."""
    keys = {name: rank(table, name, points[name]) for name in points}
    places = {name: 1 + sum(other < key for other in keys.values()) for name, key in keys.items()}
    out = {name: len(keys) + 1 for name in table["order"] if name not in keys}
    return {**places, **out}


def rank(table: Table, name: str, points: int) -> tuple[int, int, int]:
    """Return the sort key of a driver who is not wrecked, the least for the best (F4). The ghost has no tokens (G6)."""
    if name == GHOST and table["ghost"] is not None:
        return (-points, -table["ghost"]["popularity"], 0)
    driver = table["drivers"][name]
    return (-points, -driver["popularity"], driver["flipped"])


def _seconds(table: Table, points: dict[str, int], cards: CardSet) -> dict[str, int]:
    """Return stage times in seconds, for organisers who use times instead of points (F5)."""
    times = {
        name: cards.score.seconds_base - cards.score.seconds_per_point * points[name]
        for name in table["order"]
        if name in points
    }
    slowest = max(times.values(), default=cards.score.seconds_base)
    return {name: times.get(name, slowest + facts().wrecked_behind) for name in table["order"]}
