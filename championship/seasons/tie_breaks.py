"""Tie-breaks between drivers with equal points: metrics that an organiser puts in an order, each a small class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Value = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """What somebody achieved in the rounds that are over, including dropped ones. `places` by round number, best first
    where several drive for a team; stages won; points of power stages; rallies with a retirement; points of the best
    round. `latest`: the number of the season's latest round.
    """

    places: Mapping[int, Sequence[int]]
    stage_wins: int = 0
    power: int = 0
    retirements: int = 0
    best_round: int = 0
    latest: int = 0

    @property
    def all_places(self) -> list[int]:
        """Every place of the season."""
        return [place for each in self.places.values() for place in each]


class Metric(ABC):
    """A way to decide which record is ahead: the one with the greater value, compared number by number."""

    name: ClassVar[str]
    label: ClassVar[str | Promise]

    @abstractmethod
    def value(self, record: Record) -> Value:
        """Return the value of this record."""


class Wins(Metric):
    """More rallies won."""

    name = "wins"
    label = _("more wins")

    def value(self, record: Record) -> Value:
        return (record.all_places.count(1),)


class Podiums(Metric):
    """More places on the podium."""

    name = "podiums"
    label = _("more podiums")

    def value(self, record: Record) -> Value:
        return (sum(place <= 3 for place in record.all_places),)


class BestPlaces(Metric):
    """More first places, then more second places, and so on."""

    name = "best places"
    label = _("better places: most firsts, then most seconds, and so on")

    def value(self, record: Record) -> Value:
        times = Counter(record.all_places)
        return tuple(times[place] for place in range(1, max(times, default=0) + 1))


class StageWins(Metric):
    """More special stages won."""

    name = "stage wins"
    label = _("more stages won")

    def value(self, record: Record) -> Value:
        return (record.stage_wins,)


class PowerPoints(Metric):
    """More points on power stages."""

    name = "power points"
    label = _("more points on power stages")

    def value(self, record: Record) -> Value:
        return (record.power,)


class FewerRetirements(Metric):
    """Fewer rallies with a retirement."""

    name = "fewer retirements"
    label = _("fewer retirements")

    def value(self, record: Record) -> Value:
        return (-record.retirements,)


class BestRound(Metric):
    """More points in the best single round."""

    name = "best round"
    label = _("more points in the best round")

    def value(self, record: Record) -> Value:
        return (record.best_round,)


class LastRound(Metric):
    """The better place in the latest round. A driver who did not drive it is behind; between drivers who are still
    level, the round before decides.
    """

    name = "last round"
    label = _("the better place in the latest round")

    def value(self, record: Record) -> Value:
        return tuple(-min(record.places.get(number) or (NOWHERE,)) for number in range(record.latest, 0, -1))


NOWHERE = 10_000
"""A number greater than every possible place."""

METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Wins(),
        Podiums(),
        BestPlaces(),
        StageWins(),
        PowerPoints(),
        FewerRetirements(),
        BestRound(),
        LastRound(),
    )
}
"""The metrics by their names in a scheme."""
