"""What a rally is part of, and when it was: for its papers and pictures, which show no page's head.

A room above registers itself when it is ready: rallies know nothing of championships.
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
    """Let rallies ask this, in place of what was registered before. It takes one query at most."""
    global _find
    _find = find


def occasion_of(rally: Rally) -> Occasion:
    """What the rally is part of."""
    return _find(rally)


def days_of(rally: Rally, occasion: Occasion) -> tuple[date, ...]:
    """The rally's first day and its last, in UTC; one day where it is not over, none where nobody knows.

    Of a rally that was driven on paper the calendar knows the day best.
    """
    if rally.started_at is None or (rally.on_paper and occasion.day):
        return (occasion.day,) if occasion.day else ()
    first = rally.started_at.astimezone(UTC).date()
    last = rally.finished_at.astimezone(UTC).date() if rally.finished_at else first
    return (first,) if first == last else (first, last)


def days_in_words(days: tuple[date, ...]) -> str:
    """ "3 May 2026 – 14 May 2026", in the active language."""
    return " – ".join(date_format(day, "DATE_FORMAT") for day in days)


def in_words(rally: Rally) -> str:
    """ "Club Cup, round 2 · 3 May 2026 – 14 May 2026"; "" where there is nothing to say."""
    occasion = occasion_of(rally)
    told = []
    if occasion.championship:
        round_of = {"championship": occasion.championship, "number": occasion.round}
        told.append(_("%(championship)s, round %(number)s") % round_of)
    told.append(days_in_words(days_of(rally, occasion)))
    return " · ".join(part for part in told if part)
