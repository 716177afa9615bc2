"""The championship round and the days of a rally, for its papers and pictures.

Rallies know nothing about championships. The app of championships registers a function here when Django is ready.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date
from typing import TYPE_CHECKING

from django.utils.formats import date_format
from django.utils.translation import gettext as _

if TYPE_CHECKING:
    from championship.rallies.models import Rally


@dataclass(frozen=True, slots=True)
class Occasion:
    """The championship that a rally is a round of, the round's number, and its day in the calendar."""

    championship: str = ""
    round: int | None = None
    day: date | None = None


Finder = Callable[["Rally"], Occasion]


def _none(rally: Rally) -> Occasion:
    return Occasion()


_find: Finder = _none


def register(find: Finder) -> None:
    """Register the function that finds a rally's occasion; it replaces the one before. It may run one query at most."""
    global _find
    _find = find


def occasion_of(rally: Rally) -> Occasion:
    """The championship round that the rally is; an empty Occasion when it is none. One query at most."""
    return _find(rally)


def days_of(rally: Rally, occasion: Occasion) -> tuple[date, ...]:
    """The rally's first and last day, in UTC. One day when both are the same or the rally is not over; empty when
    unknown.

    For an imported rally the day in the championship's calendar takes precedence.
    """
    if rally.started_at is None or (rally.on_paper and occasion.day):
        return (occasion.day,) if occasion.day else ()
    if rally.day_known != rally.DayKnown.DAY:
        return ()
    first = rally.started_at.astimezone(UTC).date()
    last = rally.finished_at.astimezone(UTC).date() if rally.finished_at else first
    return (first,) if first == last else (first, last)


def days_in_words(days: tuple[date, ...]) -> str:
    """ "3 May 2026 – 14 May 2026", in the active language."""
    return " – ".join(date_format(day, "DATE_FORMAT") for day in days)


def in_words(rally: Rally) -> str:
    """ "Club Cup, round 2 · 3 May 2026 – 14 May 2026"; "" when nothing is known."""
    occasion = occasion_of(rally)
    parts = []
    if occasion.championship:
        round_of = {"championship": occasion.championship, "number": occasion.round}
        parts.append(_("%(championship)s, round %(number)s") % round_of)
    parts.append(days_in_words(days_of(rally, occasion)))
    return " · ".join(part for part in parts if part)
