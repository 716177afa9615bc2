"""What a reader wants to know first of a season: who leads, the next round, the last podium, who won which round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from math import ceil

from django.utils import timezone
from django.utils.formats import localize
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from championship.clubs.models import Club
from championship.rallies.models import Rally
from championship.rallies.results import classification
from championship.rallies.results.classification import on_podium
from championship.seasons.models import Championship, Round
from championship.seasons.scoring.values import exact
from championship.seasons.selectors import Line, Table, championships_of_club, tables_of

TOP = 10
"""Lines of the table on the first page of a season; the reader's own is added."""
MOST_ON_CLUB_PAGE = 4
"""Seasons of which the first page of a club tells who leads."""


@dataclass(frozen=True)
class CalendarRound:
    """A round as the calendar shows it: its day, where one is known, and who won it."""

    round: Round
    day: date | None
    winners: str

    @property
    def rally(self) -> Rally:
        return self.round.rally


@dataclass(frozen=True)
class SeasonFront:
    """The first page of a season. `table`: the whole season."""

    table: Table

    @property
    def championship(self) -> Championship:
        return self.table.championship

    @cached_property
    def rounds(self) -> list[CalendarRound]:
        """Every round in the order of the calendar."""
        return [CalendarRound(each, day_of(each), self._winners(each)) for each in self.table.rounds]

    @property
    def running(self) -> list[CalendarRound]:
        """The rounds that are under way."""
        return [each for each in self.rounds if each.rally.status == Rally.Status.RUNNING]

    @property
    def next_round(self) -> CalendarRound | None:
        """The first round that takes entries; None when there is none."""
        return next((each for each in self.rounds if each.rally.status == Rally.Status.ENTRIES), None)

    @cached_property
    def last(self) -> Round | None:
        """The round that was over last."""
        over = [each for each in self.table.over if each.rally.finished_at]
        return max(over, key=lambda each: (each.rally.finished_at, each.number), default=None)

    @property
    def last_podium(self) -> list[classification.Line]:
        """The first three of the round that was over last."""
        return on_podium(self.table.results[self.last.rally_id].overall) if self.last else []

    @property
    def leads(self) -> str:
        """Who leads by how much, in one sentence; "" before the first round is over."""
        return lead_in_words(self.table.drivers)

    def top(self, viewer_id: int | None) -> list[Line]:
        """The first TOP lines of the drivers' table, and the viewer's own."""
        lines = self.table.drivers
        return [line for place, line in enumerate(lines) if place < TOP or line.who.pk == viewer_id]

    def _winners(self, each: Round) -> str:
        if each.rally_id not in self.table.results:
            return ""
        lines = self.table.results[each.rally_id].overall
        return ", ".join(line.entry.crew for line in lines if line.place == 1)


def day_of(each: Round) -> date | None:
    """Return the day of a round: that on which it was over, or started, in the reader's zone, once it has; else the
    planned one. A round driven on paper has its planned day.
    """
    moment = each.rally.finished_at or each.rally.started_at
    if moment is None or (each.rally.on_paper and (each.planned_for or each.rally.day_known != Rally.DayKnown.DAY)):
        return each.planned_for
    return timezone.localtime(moment).date()


def lead_in_words(lines: Sequence[Line]) -> str:
    """Return who leads a table by how much, in one sentence; "" for an empty table."""
    firsts = [str(line.who) for line in lines if line.place == 1]
    others = [line for line in lines if line.place != 1]
    words: dict[str, object] = {"crews": ", ".join(firsts)}
    if not firsts:
        return ""
    if len(firsts) > 1:
        return _("%(crews)s share the lead.") % words
    gap = exact(lines[0].total - others[0].total) if others else 0
    if not gap:
        return _("%(crews)s leads.") % words
    words["n"] = localize(gap)
    return ngettext("%(crews)s leads by %(n)s point.", "%(crews)s leads by %(n)s points.", ceil(gap)) % words


def fronts_of(club: Club) -> list[SeasonFront]:
    """Return the first pages of the newest seasons of a club. Nine queries for any number of them."""
    seasons = list(championships_of_club(club)[:MOST_ON_CLUB_PAGE])
    tables = tables_of(seasons) if seasons else {}
    return [SeasonFront(tables[each.pk]) for each in seasons]
