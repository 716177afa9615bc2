"""An estimate of how long a rally takes, from its turns, its pace and how soon drivers send orders. Pure functions.

All times are whole seconds. The time of an answer is wall-clock time. A deadline is counted in hours that count, so
quiet hours and weekends that do not count make it longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

HOUR = 3600
WEEK = 7 * 24 * HOUR
UNKNOWN_TURNS, UNKNOWN_SEATS = 8, 4
"""Assumptions for a stage about which nothing is known."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage to estimate: the turns of one car, and the rounds until all cars of a table have finished."""

    turns: int
    rounds: int


@dataclass(frozen=True, slots=True)
class Pace:
    """How the stages are driven. `way`: "turns" (one car after another), "together" (one deadline a round), "alone"
    (each car against the clock), or "closing" (until the stage closes).

    `limit`: counted seconds for a turn; with `more`, the counted seconds in a bank, to which each turn adds `more`.
    `closing`: seconds that a stage is open. `counted`: seconds of a week that count. `answer`: seconds that a driver
    takes for an answer on average, None when unknown. `cars`: cars of the rally. `table`: cars of one table.
    """

    way: str
    limit: int
    cars: int
    table: int
    more: int | None = None
    closing: int = 0
    counted: int = WEEK
    answer: int | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """The seconds that a rally takes: the likely number, and the number when every driver uses all the time."""

    likely: int
    most: int

    @property
    def days(self) -> int:
        """The likely number of days, rounded up."""
        return days_of(self.likely)

    @property
    def most_days(self) -> int:
        """The maximum number of days, rounded up."""
        return days_of(self.most)


def days_of(seconds: int) -> int:
    """Seconds as days, rounded up."""
    return -(-seconds // (24 * HOUR))


def estimate(stages: Sequence[Stage], pace: Pace) -> Estimate:
    """The time that these stages take one after another, each with its time control."""
    found = [_stage(stage, pace) for stage in stages]
    return Estimate(sum(likely for likely, _most in found), sum(most for _likely, most in found))


def _stage(stage: Stage, pace: Pace) -> tuple[int, int]:
    """The seconds of one stage and its time control: the likely number, and the maximum."""
    limit = _wall_clock(pace.limit, pace)
    answer = min(limit, pace.answer if pace.answer is not None else min(limit // 2, 12 * HOUR))
    control, most_control = _slowest(answer, pace.cars, limit), limit
    if pace.way == "closing":
        return pace.closing + control, pace.closing + most_control
    if pace.way == "together":
        return stage.rounds * _slowest(answer, pace.table, limit) + control, stage.rounds * limit + most_control
    if pace.way == "alone":
        own, most_own = stage.turns * _slowest(answer, 3, limit), _longest(stage.turns, 1, limit, pace)
        return min(own, most_own) + control, most_own + most_control
    own, most_own = stage.turns * pace.table * answer, _longest(stage.turns, pace.table, limit, pace)
    return min(own, most_own) + control, most_own + most_control


def _longest(turns: int, cars: int, limit: int, pace: Pace) -> int:
    """The seconds when every driver uses all the time for every turn, or the whole bank."""
    if pace.more is None:
        return turns * cars * limit
    return cars * (limit + turns * _wall_clock(pace.more, pace))


def _slowest(answer: int, people: int, limit: int) -> int:
    """The expected time of the last of so many answers. Each one comes at a random time up to twice the average."""
    return min(limit, 2 * answer * people // (people + 1)) if people > 1 else answer


def _wall_clock(seconds: int, pace: Pace) -> int:
    """Convert seconds that count to wall-clock seconds."""
    return seconds * WEEK // max(1, pace.counted)
