"""Penalty points of a season, and the rounds that drivers sit out because of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.rallies.models import Rally
from championship.seasons.models import Championship, Round
from championship.stewards.models import Decision, PointsRule


@dataclass(frozen=True, slots=True)
class Given:
    """Penalty points of one decision: the driver's id, how many, when, and the number of the round it was about."""

    driver: int
    points: int
    at: datetime
    round: int


@dataclass(frozen=True, slots=True)
class Started:
    """A round of the calendar: its number, and when it has started; None for a round to come."""

    number: int
    at: datetime | None


def bans(given: Sequence[Given], calendar: Sequence[Started], *, ban_at: int, rounds: int) -> dict[int, set[int]]:
    """Return the numbers of the rounds that drivers sit out, by driver id. Each time a driver reaches a multiple of
    `ban_at`, these are the next `rounds` rounds behind the round of the decision that had not started then, and that
    the driver does not sit out already.
    """
    totals: dict[int, int] = defaultdict(int)
    out: dict[int, set[int]] = defaultdict(set)
    for each in sorted(given, key=lambda one: (one.at, one.round)):
        before = totals[each.driver]
        totals[each.driver] += each.points
        reached = totals[each.driver] // ban_at - before // ban_at
        ahead = [
            one.number
            for one in sorted(calendar, key=lambda one: one.number)
            if one.number > each.round and (one.at is None or one.at > each.at) and one.number not in out[each.driver]
        ]
        out[each.driver].update(ahead[: reached * rounds])
    return {driver: numbers for driver, numbers in out.items() if numbers}


def points_given(championship: Championship) -> list[Decision]:
    """Return the decisions of a season that gave penalty points and still hold, newest first. One query."""
    found = Decision.objects.filter(rally__round__championship=championship, points__gt=0, undone_by=None)
    return list(found.select_related("entry__driver", "rally__round").order_by("-at", "-pk"))


@dataclass(frozen=True, slots=True)
class PointsLine:
    """A driver's penalty points in a season, and the numbers of the rounds to sit out."""

    driver: User
    points: int
    out: Sequence[int]


def points_table(championship: Championship) -> list[PointsLine]:
    """Return the drivers with penalty points, the most first. Three queries at most."""
    decisions = points_given(championship)
    out = _bans_of(championship, decisions)
    totals: dict[User, int] = defaultdict(int)
    for each in decisions:
        if each.entry is not None:
            totals[each.entry.driver] += each.points
    lines = [PointsLine(driver, total, sorted(out.get(driver.pk, ()))) for driver, total in totals.items()]
    return sorted(lines, key=lambda line: (-line.points, str(line.driver).casefold()))


def _bans_of(championship: Championship, decisions: Sequence[Decision]) -> Mapping[int, set[int]]:
    rule = PointsRule.objects.filter(championship=championship).first() if decisions else None
    if rule is None:
        return {}
    calendar = [
        Started(number, at)
        for number, at in championship.rounds.exclude(rally__status=Rally.Status.CANCELLED).values_list(
            "number", "rally__started_at"
        )
    ]
    given = [
        Given(each.entry.driver_id, each.points, each.at, each.rally.round.number)
        for each in decisions
        if each.entry is not None
    ]
    return bans(given, calendar, ban_at=rule.ban_at, rounds=rule.rounds)


class BannedDrivers:
    """Keeps drivers out of the rounds that they sit out; `rallies.followers.EntryFollower`."""

    def kept_out(self, rally: Rally, drivers: Collection[int]) -> Mapping[int, str]:
        """Return why these drivers may not enter the rally, by id. Four queries at most, one outside a season."""
        round = Round.objects.filter(rally=rally, championship__points_rule__isnull=False).first()
        if round is None:
            return {}
        out = _bans_of(round.championship, points_given(round.championship))
        says = _("You sit this round out: you have too many penalty points. The notice board of the season says why.")
        return {driver: says for driver in drivers if round.number in out.get(driver, ())}
