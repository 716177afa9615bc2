"""The size of a season and the habits of its people. Drivers play soon, late or never, go on holiday, travel, and send
orders ahead. Organisers pause a rally or change its hours.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from random import Random

HOUR = timedelta(hours=1)
ZONES = ("Europe/Warsaw", "Europe/Berlin", "America/New_York", "Australia/Sydney", "UTC", "Asia/Tokyo")
SHAPES = ("json", "discord", "slack")
"""Formats of webhooks."""


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a season. The `drivers` are distributed over the `clubs`, and so are the `rallies`."""

    clubs: int
    drivers: int
    rallies: int
    days: int
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Habit:
    """The habits of a driver.

    answers: hours until half of the turns are driven. forgets: share of turns never driven. away: first day and number
    of days of a holiday, or None. travels: day and new time zone of a journey, or None. ahead: share of turns for which
    orders are sent ahead. browser: whether a browser shows notices. hook: the format of the webhook that gets the
    notices, or "".
    """

    zone: str
    answers: float
    forgets: float
    away: tuple[int, int] | None
    travels: tuple[int, str] | None
    ahead: float
    browser: bool
    hook: str

    def waits(self, draw: Random) -> timedelta | None:
        """Return how long the driver lets a turn wait, or None for a turn that is never driven."""
        if draw.random() < self.forgets:
            return None
        return min(draw.lognormvariate(0, 1) * self.answers, 200) * HOUR


@dataclass(frozen=True, slots=True)
class Rein:
    """The changes that an organiser makes to a rally under way.

    pauses: hours after its start, and hours of the pause. hours: hours after its start, and the hours that a turn has
    from then on. None means no such change.
    """

    pauses: tuple[int, int] | None
    hours: tuple[int, int] | None


def habit_of(number: int, *, seed: int, days: int) -> Habit:
    """Return the habits of driver `number`. Seven in ten drivers play within hours; the others are late, forgetful or
    asleep.
    """
    draw = Random(f"{seed} habit {number}")
    kind = draw.random()
    if kind < 0.70:
        answers, forgets = 3 + 4 * draw.random(), 0.01
    elif kind < 0.85:
        answers, forgets = 20.0, 0.05
    elif kind < 0.97:
        answers, forgets = 6.0, 0.3
    else:
        answers, forgets = 6.0, 1.0
    away = (draw.randrange(days), draw.randint(2, 7)) if draw.random() < 0.2 else None
    travels = (draw.randrange(days), draw.choice(ZONES)) if draw.random() < 0.1 else None
    zone = draw.choice(ZONES)
    ahead = draw.choice((0.3, 1.0)) if draw.random() < 0.3 else 0.0
    hook = draw.choice(SHAPES) if draw.random() < 0.2 else ""
    return Habit(zone, answers, forgets, away, travels, ahead, browser=draw.random() < 0.25, hook=hook)


def rein_of(number: int, *, seed: int) -> Rein:
    """Return the changes that the organiser of rally `number` makes. Every second rally is paused, every second gets
    other hours.
    """
    draw = Random(f"{seed} rein {number}")
    pauses = (draw.randint(12, 96), draw.randint(4, 60)) if draw.random() < 0.5 else None
    hours = (draw.randint(12, 96), draw.choice((8, 16, 36, 72))) if draw.random() < 0.5 else None
    return Rein(pauses, hours)
