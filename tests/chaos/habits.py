"""How large a season is, and how people keep it: drivers soon, late or never, on holiday, on journeys, with plans sent
ahead; organisers who pause a rally or give it other hours.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from random import Random

HOUR = timedelta(hours=1)
ZONES = ("Europe/Warsaw", "Europe/Berlin", "America/New_York", "Australia/Sydney", "UTC", "Asia/Tokyo")
SHAPES = ("json", "discord", "slack")
"""Of a webhook."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large a season is: `drivers` are shared out among `clubs`, and so are the `rallies`."""

    clubs: int
    drivers: int
    rallies: int
    days: int
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Habit:
    """A driver's ways. `answers`: hours until half of the turns are driven; `forgets`: share of turns never driven;
    `away`: first day of a holiday and its days, or None; `travels`: a day and the zone of a switch, or None; `ahead`:
    share of turns whose plan is sent before they come; `browser`: whether one shows notices; `hook`: the shape of the
    webhook they go to, or "".
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
        """How long the driver lets a turn wait; None when it is forgotten."""
        if draw.random() < self.forgets:
            return None
        return min(draw.lognormvariate(0, 1) * self.answers, 200) * HOUR


@dataclass(frozen=True, slots=True)
class Rein:
    """What an organiser does with a rally under way. `pauses`: hours after its start, and how many hours it is paused;
    `hours`: hours after its start, and the hours that a turn has from then on. None: leaves it alone.
    """

    pauses: tuple[int, int] | None
    hours: tuple[int, int] | None


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
    zone = draw.choice(ZONES)
    ahead = draw.choice((0.3, 1.0)) if draw.random() < 0.3 else 0.0
    hook = draw.choice(SHAPES) if draw.random() < 0.2 else ""
    return Habit(zone, answers, forgets, away, travels, ahead, browser=draw.random() < 0.25, hook=hook)


def rein_of(number: int, *, seed: int) -> Rein:
    """What the organiser of rally `number` does with it: of two rallies one is paused, of two one gets other hours."""
    draw = Random(f"{seed} rein {number}")
    pauses = (draw.randint(12, 96), draw.randint(4, 60)) if draw.random() < 0.5 else None
    hours = (draw.randint(12, 96), draw.choice((8, 16, 36, 72))) if draw.random() < 0.5 else None
    return Rein(pauses, hours)
