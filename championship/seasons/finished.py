"""A driver's recent results: they are shown on the page of my turns until the driver has seen them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, F, Q, QuerySet

from championship.accounts.models import User
from championship.clubs.models import Membership, Role
from championship.platform import clock
from championship.platform.prepared_queries import BoundQuery, prepared
from championship.rallies.models import ON_PAPER, Entry, Rally
from championship.rallies.results.classification import Line
from championship.rallies.results.selectors import results_of_rallies
from championship.seasons.models import Championship, Round

WAITS_FOR = timedelta(days=60)
"""A result that the driver never opens is no longer shown after this time."""
MOST_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished rally of the driver: the line of its classification, the number of cars, and the rally that follows.

    `following`: the next round of the same championship that takes entries and has none of this driver.
    """

    rally: Rally
    line: Line
    cars: int
    championship: Championship | None
    following: Rally | None


@dataclass(frozen=True, slots=True)
class RecentResults:
    """Results that the driver has not seen, and rallies whose results the driver has seen, both newest first."""

    unseen: Sequence[Finished]
    seen: Sequence[Rally]


def recent_results(driver: User) -> RecentResults:
    """Return the driver's recent results. One query where all are seen, ten otherwise."""
    return recent_of(driver, _recent(driver=driver.pk, since=clock.now() - WAITS_FOR))


def recent_of_page(reader: int, now: datetime, **_known: Any) -> BoundQuery[Entry]:
    """Return the first query of `recent_results`, for a page that reads it with all else."""
    return _recent.bind(driver=reader, since=now - WAITS_FOR)


def recent_of(driver: User, found: Sequence[Entry]) -> RecentResults:
    """Return the recent results of these rows. No query where all are seen, nine otherwise."""
    waiting = [entry for entry in found if entry.waits][:MOST_SHOWN]  # type: ignore[attr-defined]
    seen = [entry.rally for entry in found if not entry.waits][:MOST_SHOWN]  # type: ignore[attr-defined]
    return RecentResults(_with_places(driver, waiting) if waiting else (), seen)


@prepared
def _recent(driver: Any, since: Any) -> QuerySet[Entry]:
    """The driver's newest entries in rallies that are over, those first that the driver has not seen: `waits`."""
    over = _over(driver).annotate(waits=ExpressionWrapper(_unseen(since), output_field=BooleanField()))
    return over.select_related("rally__club").order_by("-waits", "-rally__finished_at", "-pk")[: 2 * MOST_SHOWN]


def anything_unseen(driver: User) -> bool:
    """Return whether the driver has an unseen result. One query."""
    return _over(driver.pk).filter(_unseen(clock.now() - WAITS_FOR)).exists()


def _over(driver: Any) -> QuerySet[Entry]:
    """Return the driver's entries in rallies that are over, without rallies on paper."""
    finished = Entry.objects.filter(driver=driver, status=Entry.Status.CONFIRMED, rally__status=Rally.Status.FINISHED)
    return finished.filter(rally__practice=False).exclude(rally__ruleset_version=ON_PAPER)


def _unseen(since: Any) -> Q:
    return Q(result_seen_at=None, rally__finished_at__gt=since)


def _with_places(driver: User, entries: Sequence[Entry]) -> list[Finished]:
    rallies = [entry.rally for entry in entries]
    results = results_of_rallies(rallies)
    rounds = {each.rally_id: each for each in Round.objects.filter(rally__in=rallies).select_related("championship")}
    following = _following(driver, rallies, rounds)
    shown = []
    for entry in entries:
        overall = results[entry.rally_id].overall
        line = next((line for line in overall if line.entry.pk == entry.pk), None)
        if line is not None:
            here = rounds.get(entry.rally_id)
            after = following.get(entry.rally_id)
            shown.append(Finished(entry.rally, line, len(overall), here.championship if here else None, after))
    return shown


def following_round(driver: User, rally: Rally) -> Rally | None:
    """Return the rally that `Finished.following` is for a rally that is over. Two queries, one outside a season."""
    found = Round.objects.filter(rally=rally).first()
    return _following(driver, [rally], {rally.pk: found}).get(rally.pk) if found else None


def _following(driver: User, rallies: Sequence[Rally], rounds: Mapping[int, Round]) -> dict[int, Rally]:
    """Return by rally id the next round of the same championship to enter: in clubs where the person is a driver,
    without rallies that they have already asked to enter.
    """
    seasons = {each.championship_id for each in rounds.values()}
    drives_in = Membership.objects.filter(user=driver, roles__contains=[Role.DRIVER]).values("club")
    asked = Q(entries__driver=driver, entries__status__in=Entry.Status.entered())
    open_now = list(
        Rally.objects.filter(
            status=Rally.Status.ENTRIES,
            practice=False,
            entries_closed=False,
            club__in=drives_in,
            round__championship__in=seasons,
        )
        .exclude(pk__in=Rally.objects.filter(asked).values("pk"))
        .annotate(of_season=F("round__championship"))
        .order_by("round__number", "created_at", "pk")
    )
    next_of_season: dict[int, Rally] = {}
    for each in open_now:
        next_of_season.setdefault(each.of_season, each)
    found = {rally.pk: next_of_season.get(rounds[rally.pk].championship_id) for rally in rallies if rally.pk in rounds}
    return {pk: following for pk, following in found.items() if following is not None}
