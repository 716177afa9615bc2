"""Who is likely to win a rally or a season: a fast model that knows only places, for thousands of simulations.

On every stage each driver has a form: the own strength, and chance. Who has the best form wins the stage. The unit is
the spread of chance. A strength is not known: it is estimated from the places on stages before, and drawn again in each
simulation from what is known of it. Retirements are not simulated.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, pstdev

SPREAD = 0.7
"""How much strengths of drivers differ, where nothing is known: their standard deviation, in spreads of chance."""
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Strength:
    """What is known of a driver's strength: its mean, and its standard deviation."""

    mean: float = 0.0
    error: float = SPREAD


def scores(order: Sequence[Collection[str]]) -> dict[str, float]:
    """Return the score of each driver on a stage from the places, the best first: what such a place is worth in a field
    of that size. `order`: who is on each place. Drivers on one place have the same.
    """
    count, place, found = sum(map(len, order)), 0, dict[str, float]()
    for level in order:
        middle = place + len(level) / 2
        score = -_NORMAL.inv_cdf(middle / count) if count > 1 else 0.0
        found |= dict.fromkeys(level, score * sqrt(1 + SPREAD**2))
        place += len(level)
    return found


def strengths(stages: Sequence[Sequence[Collection[str]]]) -> dict[str, Strength]:
    """Return what stages tell of the strength of those who drove them. A driver of few stages is near the middle."""
    found: dict[str, list[float]] = {}
    for order in stages:
        for driver, score in scores(order).items():
            found.setdefault(driver, []).append(score)
    known = 1 / SPREAD**2
    return {
        driver: Strength(sum(each) / (len(each) + known), sqrt(1 / (len(each) + known)))
        for driver, each in found.items()
    }


def drawn(known: Mapping[str, Strength], drivers: Collection[str], chance: random.Random) -> dict[str, float]:
    """Return a strength for each driver, as it may be."""
    return {driver: chance.gauss(one.mean, one.error) for driver in drivers for one in (known.get(driver, Strength()),)}


@dataclass(frozen=True, slots=True)
class RallySoFar:
    """A rally that is being driven, or still to come: how far each driver is behind, in spreads of a stage, and how
    many stages are left.
    """

    behind: Mapping[str, float]
    left: int


def so_far(totals: Mapping[str, float], stages: Sequence[Mapping[str, float]], left: int) -> RallySoFar:
    """Return a rally as the model sees it. `totals`: after the stages so far, where less is better. `stages`: the
    results of each stage by driver, from which follows how far apart cars are.
    """
    spreads = [pstdev(each.values()) for each in stages if len(each) > 1]
    spread = (fmean(spreads) if spreads else 0.0) / sqrt(1 + SPREAD**2) or 1.0
    least = min(totals.values(), default=0.0)
    return RallySoFar({driver: (total - least) / spread for driver, total in totals.items()}, left)


@dataclass(frozen=True, slots=True)
class Driven:
    """A rally in one simulation: the drivers, the best first, who won each of the stages left, and the order on the
    last one.
    """

    order: Sequence[str]
    winners: Sequence[str]
    last: Sequence[str]


def driven(rally: RallySoFar, forms: Mapping[str, float], chance: random.Random) -> Driven:
    """Return how a rally may end. `forms`: the strength of each driver in this simulation."""
    behind, winners, last = dict(rally.behind), list[str](), list[str]()
    for _stage in range(rally.left):
        here = {driver: forms[driver] + chance.gauss(0.0, 1.0) for driver in behind}
        last = sorted(here, key=lambda driver: -here[driver])
        winners.append(last[0])
        for driver, form in here.items():
            behind[driver] -= form
    return Driven(sorted(behind, key=lambda driver: behind[driver]), winners, last)


def rally_chances(rally: RallySoFar, known: Mapping[str, Strength], *, seed: str, simulations: int) -> dict[str, int]:
    """Return the chance of each driver to win a rally, in thousandths."""
    chance, wins = random.Random(seed), dict.fromkeys(rally.behind, 0)  # noqa: S311 - it decides nothing
    for _one in range(simulations if wins else 0):
        wins[driven(rally, drawn(known, wins, chance), chance).order[0]] += 1
    return {driver: round(1000 * won / simulations) for driver, won in wins.items()}
