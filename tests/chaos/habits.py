"""How large a season is, and how drivers keep their turns: soon, late or never, on holiday, on journeys."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from random import Random

HOUR = timedelta(hours=1)
ZONES = ("Europe/Warsaw", "Europe/Berlin", "America/New_York", "Australia/Sydney", "UTC", "Asia/Tokyo")


@dataclass(frozen=True, slots=True)
class Size:
    """How large a season is: `drivers` are shared out among `clubs`, each of which drives `rallies` of one stage."""

    clubs: int
    drivers: int
    rallies: int
    days: int
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Habit:
    """A driver's ways. `answers`: hours until half of the turns are driven; `forgets`: share of turns never driven;
    `away`: first day of a holiday and its days, or None; `travels`: a day and the zone of a switch, or None.
    """

    zone: str
    answers: float
    forgets: float
    away: tuple[int, int] | None
    travels: tuple[int, str] | None

    def waits(self, draw: Random) -> timedelta | None:
        """How long the driver lets a turn wait; None when it is forgotten."""
        if draw.random() < self.forgets:
            return None
        return min(draw.lognormvariate(0, 1) * self.answers, 200) * HOUR


def habit_of(number: int, *, seed: int, days: int) -> Habit:
    """The ways of driver `number`: seven in ten answer within hours, the others are late, forgetful or asleep."""
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
    return Habit(draw.choice(ZONES), answers, forgets, away, travels)
