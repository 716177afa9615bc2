"""Read functions for the pages of a season. Tables are computed from results of stages; the number of queries does not
depend on the number of rounds and seasons.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, F, Q, QuerySet
from django.shortcuts import get_object_or_404

from championship.accounts.models import User
from championship.clubs import visibility
from championship.clubs.models import Club
from championship.papers.occasions import Occasion
from championship.platform.prepared_queries import BoundQuery, prepared
from championship.rallies.entries.registered_drivers import RegisteredDriver, SeasonClasses
from championship.rallies.models import Entry, Rally
from championship.rallies.results.selectors import Results, results_of_rallies
from championship.rallies.selectors import rallies_of_club
from championship.runs.watch.luck.ledgers import has_ledger
from championship.seasons.models import (
    Adjustment,
    Championship,
    Nomination,
    Registration,
    Round,
    SeasonDraft,
    SharedDrive,
    Team,
)
from championship.seasons.season_tables import Line as Line
from championship.seasons.season_tables import Score as Score
from championship.seasons.season_tables import Table as Table
from championship.seasons.season_tables import stage_wins as stage_wins


def championship_by_key(key: str, viewer: User | AnonymousUser) -> Championship:
    """Return the championship of that key with its club, for viewers who may see it. One query, one more where the club
    is for members only.

    Raises: Http404 when there is none, or the viewer is not a member.
    Raises: NotYet when the viewer has not signed in.
    """
    found = get_object_or_404(Championship.objects.select_related("club"), key=key)
    visibility.require_may_see(found.club, viewer)
    return found


def championships_of_club(club: Club) -> QuerySet[Championship]:
    """Return the club's championships, newest first, with `round_count`."""
    return club.championships.order_by("-created_at", "-pk").annotate(round_count=Count("rounds"))


def draft_of(club: Club, viewer: User) -> SeasonDraft | None:
    """Return the viewer's unfinished draft of a season of the club, or None. One query."""
    return SeasonDraft.objects.filter(club=club, by=viewer, made=None).first()


@dataclass(frozen=True, slots=True)
class RoundOfRally:
    """The first round that a rally is, with its championship, and how many drivers are registered for that."""

    round: Round
    registered: int


def round_of(rally: Rally) -> RoundOfRally | None:
    """Return the first round that a rally is; None when it is in no season. One query."""
    return first_round(_rounds(rally=rally.key))


def rounds_of_page(rally: str, **_known: Any) -> BoundQuery[Round]:
    """Return the query of `round_of` by the key of the rally, for a page that reads it with all else."""
    return _rounds.bind(rally=rally)


def first_round(rows: Sequence[Round]) -> RoundOfRally | None:
    """Return the first round of these rows, which `rounds_of_page` has read. No query."""
    return RoundOfRally(rows[0], rows[0].registered) if rows else None  # type: ignore[attr-defined]


@prepared
def _rounds(rally: Any) -> QuerySet[Round]:
    rounds = Round.objects.filter(rally__key=rally).select_related("championship")
    counted = Count("championship__registrations", filter=Q(championship__registrations__left_at=None))
    return rounds.annotate(registered=counted).order_by("pk")[:1]


def occasion_of(rally: Rally) -> Occasion:
    """Return the championship and round of a rally, and its day in the calendar, for its printed papers. One query."""
    found = Round.objects.filter(rally=rally.pk).values_list("championship__name", "number", "planned_for").first()
    return Occasion(*found) if found else Occasion()


def registered_drivers(rally: Rally, drivers: Collection[int] | None = None) -> dict[int, RegisteredDriver]:
    """Return the registrations for the championship of which the rally is a round, by driver id; only of these
    `drivers`, where they are given. One query.
    """
    found = Registration.objects.filter(championship__rounds__rally=rally.pk, left_at=None)
    if drivers is not None:
        found = found.filter(driver__in=drivers)
    columns = ("driver_id", "championship__name", "championship__classes", "crew", "car_class", "team__name")
    return {
        driver: RegisteredDriver(name, crew, car_class if car_class in classes else "", team or "")
        for driver, name, classes, crew, car_class, team in found.values_list(*columns)
    }


def classes_of_season(rally: Rally) -> SeasonClasses | None:
    """Return the classes of the championship of which the rally is a round; None for a rally that is no round. One
    query.
    """
    found = Championship.objects.filter(rounds__rally=rally.pk).first()
    return None if found is None else SeasonClasses(found.name, tuple(found.classes), bool(found.divisions))


def entries_in_other_classes(registration: Registration) -> list[Entry]:
    """Return the driver's entries in rounds to come whose class differs from that of the registration. One query; none
    in a championship without classes.
    """
    if not registration.championship.classes:
        return []
    found = Entry.objects.filter(
        rally__round__championship=registration.championship,
        rally__status=Rally.Status.ENTRIES,
        driver=registration.driver_id,
        status__in=Entry.Status.entered(),
    )
    return list(
        found.exclude(car_class=registration.car_class).select_related("rally").order_by("rally__round__number")
    )


def rallies_by_season(club: Club) -> tuple[list[Rally], list[tuple[str, list[Rally]]]]:
    """Return the club's rallies: those that run or take entries, each season's in the order of its rounds; and those
    that are over by the name of their season ("" for none), the season driven last first. One query.
    """
    present: list[Rally] = []
    past: dict[str, list[Rally]] = defaultdict(list)
    found = rallies_of_club(club).annotate(season=F("round__championship__name"), place=F("round__number"))
    for rally in sorted(found, key=lambda each: (each.season or "", each.place or 0)):
        if rally.status in (Rally.Status.RUNNING, Rally.Status.ENTRIES):
            present.append(rally)
        else:
            past[rally.season or ""].append(rally)
    present.sort(key=lambda rally: rally.status != Rally.Status.RUNNING)
    return present, sorted(past.items(), key=lambda pair: max(_over_at(rally) for rally in pair[1]), reverse=True)


def _over_at(rally: Rally) -> datetime:
    return rally.finished_at or rally.created_at


def drivers_by_round(rounds: Sequence[Round]) -> dict[int, list[User]]:
    """Return the drivers of confirmed entries by round id, by name. One query."""
    found: dict[int, list[User]] = defaultdict(list)
    entries = Entry.objects.filter(rally__round__in=rounds, status=Entry.Status.CONFIRMED)
    for entry in entries.select_related("driver", "rally__round").order_by("driver__name", "pk"):
        found[entry.rally.round.pk].append(entry.driver)
    return found


def people_of_season(championship: Championship) -> list[User]:
    """Return everybody who is registered for the season or has driven in it, by name. One query."""
    mine = Q(registrations__championship=championship) | Q(
        entries__rally__round__championship=championship, entries__status=Entry.Status.CONFIRMED
    )
    return list(User.objects.filter(mine).distinct().order_by("name", "pk"))


def rallies_without_round(club: Club) -> QuerySet[Rally]:
    """Return the club's rallies that may become a round."""
    return club.rallies.filter(round=None).exclude(status=Rally.Status.CANCELLED)


def table(championship: Championship) -> Table:
    """Return the standings over the rounds that are over. Nine queries for any number of rounds and drivers."""
    return tables_of([championship])[championship.pk]


def tables_of(championships: Sequence[Championship]) -> dict[int, Table]:
    """Return the tables of several championships, by id, in as many queries as for one."""
    seasons = {each.pk: each for each in championships}
    rounds = list(Round.objects.filter(championship__in=seasons).select_related("rally").order_by("number"))
    for each in rounds:
        each.championship = seasons[each.championship_id]
    over = [each.rally for each in rounds if each.rally.status == Rally.Status.FINISHED]
    return tables_over(rounds, results_of_rallies(over) if over else {}, seasons)


def tables_over(
    all_rounds: Sequence[Round], results: Mapping[int, Results], seasons: Mapping[int, Championship]
) -> dict[int, Table]:
    """Return the tables of these championships, by id, over results that have been read already. `all_rounds`: all
    their rounds, by number. Three queries; one more where cars are shared, and one where drivers nominate rounds.
    """
    rounds: dict[int, list[Round]] = defaultdict(list)
    for each in all_rounds:
        rounds[each.championship_id].append(each)
    registrations: dict[int, list[Registration]] = defaultdict(list)
    for member in Registration.objects.filter(championship__in=seasons).select_related("driver"):
        member.championship = seasons[member.championship_id]
        registrations[member.championship_id].append(member)
    teams: dict[int, list[Team]] = defaultdict(list)
    for team in Team.objects.filter(championship__in=seasons):
        team.championship = seasons[team.championship_id]
        teams[team.championship_id].append(team)
    adjustments: dict[int, list[Adjustment]] = defaultdict(list)
    for given in Adjustment.objects.filter(championship__in=seasons, lifted_at=None).order_by("at", "pk"):
        adjustments[given.championship_id].append(given)
    shared, nominated = _shared(seasons, results), _nominated(seasons)
    return {
        pk: Table(
            championship=season,
            rounds=rounds[pk],
            registrations=registrations[pk],
            team_list=teams[pk],
            results={each.rally_id: results[each.rally_id] for each in rounds[pk] if each.rally_id in results},
            adjustments=adjustments[pk],
            nominated=nominated,
            shared=shared,
        )
        for pk, season in seasons.items()
    }


def _shared(seasons: Mapping[int, Championship], rallies: Iterable[int]) -> dict[int, list[User]]:
    """Return who shared the car of an entry in these rallies, by entry id, in the seasons where that matters."""
    found: dict[int, list[User]] = defaultdict(list)
    sharing = [pk for pk, season in seasons.items() if season.shares_cars]
    if sharing:
        drives = SharedDrive.objects.filter(entry__rally__in=rallies, entry__rally__round__championship__in=sharing)
        for drive in drives.select_related("driver").order_by("pk"):
            found[drive.entry_id].append(drive.driver)
    return found


def _nominated(seasons: Mapping[int, Championship]) -> frozenset[tuple[int, int]]:
    """Return the ids of drivers and of the rounds that they have nominated, in the seasons where that matters. A driver
    has no more jokers than the scheme allows, the first ones, also when it allowed more before.
    """
    nominating = [pk for pk, season in seasons.items() if season.nominates]
    if not nominating:
        return frozenset()
    rows = Nomination.objects.filter(registration__championship__in=nominating).order_by("round__number")
    played: Counter[tuple[int, int]] = Counter()
    found = set()
    for pk, driver, round in rows.values_list("registration__championship", "registration__driver_id", "round_id"):
        played[pk, driver] += 1
        if "joker" not in seasons[pk].further or played[pk, driver] <= seasons[pk].nominates:
            found.add((driver, round))
    return frozenset(found)


class ChampionshipStandings:
    """The standings before a rally, with the interface that rallies.seeding needs."""

    def name(self, rally: Rally) -> str:
        """Return the name of the championship; "" for a rally that is not a round. One query."""
        found = Round.objects.filter(rally=rally).values_list("championship__name", flat=True).first()
        return found or ""

    def order(self, rally: Rally) -> Sequence[int]:
        """Return the ids of the drivers in the championship's table, best first; empty before its first
        round is over.
        """
        here = Round.objects.filter(rally=rally).select_related("championship").first()
        return [line.who.pk for line in table(here.championship).drivers] if here else ()


def tells_ledgers(championship: Championship) -> bool:
    """Return whether a rally of the season shows its ledgers. One query."""
    shown = championship.rounds.filter(rally__ledgers=True).values_list("rally__game", flat=True).distinct()
    return any(has_ledger(game) for game in shown)
