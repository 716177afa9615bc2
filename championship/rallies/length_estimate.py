"""How long a rally takes, from its turns, its pace and how soon drivers answer. Pure: plain values in and out.

All times are whole seconds. An answer is counted by the wall clock, as people give it; a deadline is counted in hours
that count, and so is stretched by quiet hours and weekends that do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

HOUR = 3600
WEEK = 7 * 24 * HOUR
UNKNOWN_TURNS, UNKNOWN_SEATS = 8, 4
"""Of a stage of which nobody knows anything."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage to be driven: turns of one car, rounds until all cars of a table are home."""

    turns: int
    rounds: int


@dataclass(frozen=True, slots=True)
class Pace:
    """How the stages are driven. `way`: "turns" (one car after another), "together" (one deadline a round), "alone"
    (each car against the clock), or "closing" (until the stage closes).

    `limit`: seconds that count for a turn, or with `more` those in a bank, to which each turn adds `more`.
    `closing`: seconds a stage is open. `counted`: seconds of a week that count. `answer`: seconds that a driver takes
    for an answer on average, None where nobody knows. `cars`: of the rally; `table`: of one table.
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
    """How long a rally takes: as it is likely to go, and when every driver takes all the time there is."""

    likely: int
    most: int

    @property
    def days(self) -> int:
        """Whole days, as it is likely to go."""
        return days_of(self.likely)

    @property
    def most_days(self) -> int:
        """Whole days, at most."""
        return days_of(self.most)


def days_of(seconds: int) -> int:
    """Days, the last one counted whole."""
    return -(-seconds // (24 * HOUR))


def estimate(stages: Sequence[Stage], pace: Pace) -> Estimate:
    """Return how long these stages take one after another, each with the time control behind it."""
    found = [_stage(stage, pace) for stage in stages]
    return Estimate(sum(likely for likely, _most in found), sum(most for _likely, most in found))


def _stage(stage: Stage, pace: Pace) -> tuple[int, int]:
    """Seconds of one stage and its time control: likely, and at most."""
    limit = _by_the_wall(pace.limit, pace)
    answer = min(limit, pace.answer if pace.answer is not None else min(limit // 2, 12 * HOUR))
    control, most_control = _slowest(answer, pace.cars, limit), limit
    if pace.way == "closing":
        return pace.closing + control, pace.closing + most_control
    if pace.way == "together":
        return stage.rounds * _slowest(answer, pace.table, limit) + control, stage.rounds * limit + most_control
    if pace.way == "alone":
        own, most_own = stage.turns * _slowest(answer, 3, limit), _all_of(stage.turns, 1, limit, pace)
        return min(own, most_own) + control, most_own + most_control
    own, most_own = stage.turns * pace.table * answer, _all_of(stage.turns, pace.table, limit, pace)
    return min(own, most_own) + control, most_own + most_control


def _all_of(turns: int, cars: int, limit: int, pace: Pace) -> int:
    """Every driver takes all the time for every turn, or empties the bank."""
    if pace.more is None:
        return turns * cars * limit
    return cars * (limit + turns * _by_the_wall(pace.more, pace))


def _slowest(answer: int, people: int, limit: int) -> int:
    """When the last of so many has answered, each at any time up to twice the average."""
    return min(limit, 2 * answer * people // (people + 1)) if people > 1 else answer


def _by_the_wall(seconds: int, pace: Pace) -> int:
    """Seconds that count, in seconds of the week."""
    return seconds * WEEK // max(1, pace.counted)
