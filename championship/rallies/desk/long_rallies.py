"""A rally that would take very long: before it is made, its form proposes to drive rounds together."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Protocol

from championship.rallies.clock.length_estimate import Estimate
from championship.rallies.clock.rounds_together import supports_rounds_together
from championship.rallies.models import Rally

LONG_DAYS = 60
"""A rally that is likely to take more days than this takes very long."""


class Estimator(Protocol):
    """What estimates how long a rally takes. The app that knows how long runs take registers it."""

    def __call__(self, rally: Rally, courses: Sequence[Any]) -> Estimate:
        """Return how long a rally of as many cars as its club usually enters takes on these courses. The rally need
        not be saved.
        """


@dataclass(frozen=True, slots=True)
class Proposal:
    """How long a rally takes as it is set, and with rounds together."""

    takes: Estimate
    together: Estimate


_ESTIMATORS: list[Estimator] = []


def register(estimator: Estimator) -> None:
    """Add what estimates how long a rally takes."""
    _ESTIMATORS.append(estimator)


@dataclass(frozen=True, slots=True)
class Length:
    """How long a rally takes as it is set, and the number of its stages."""

    takes: Estimate
    stages: int

    @property
    def days_each(self) -> int:
        """Days that a stage takes, at least one."""
        return max(1, round(self.takes.days / self.stages))


def length_of(rally: Rally, courses: Sequence[Any], estimator: Estimator | None = None) -> Length | None:
    """How long a rally takes as it is set; None without courses, and where nothing estimates it."""
    takes_long = estimator or next(iter(_ESTIMATORS), None)
    return Length(takes_long(rally, courses), len(courses)) if takes_long is not None and courses else None


def proposal_for(rally: Rally, courses: Sequence[Any], estimator: Estimator | None = None) -> Proposal | None:
    """The proposal to drive a rally in rounds together, chosen or not; None where it would not take very long without
    them, and where they are not possible or save nothing. `estimator`: in place of the registered one.
    """
    possible = (
        rally.mode == Rally.Mode.CONVOY and rally.pace == Rally.Pace.TURN and supports_rounds_together(rally.game)
    )
    takes_long = estimator or next(iter(_ESTIMATORS), None)
    if takes_long is None or not possible or not courses:
        return None
    apart, shorter = copy(rally), copy(rally)
    apart.rounds_together, shorter.rounds_together = False, True
    takes = takes_long(apart, courses)
    if takes.days <= LONG_DAYS:
        return None
    together = takes_long(shorter, courses)
    return Proposal(takes, together) if together.days < takes.days else None
