"""What the pages of a season show. The table is computed from stage times; rounds add no queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, QuerySet
from django.shortcuts import get_object_or_404

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.rallies.classification import places
from championship.rallies.models import Rally
from championship.rallies.results import results_of_rallies
from championship.seasons.models import Championship, Round
from championship.seasons.points import worth


@dataclass(frozen=True, slots=True)
class Score:
    """What a driver brought home from a round."""

    place: int
    points: int
    retired: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the table: one score per round, None where the driver is not classified or the rally not over."""

    place: int
    driver: User
    scores: tuple[Score | None, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Table:
    """The championship table: its rounds are the columns."""

    rounds: Sequence[Round]
    standings: Sequence[Standing]


def championship_by_key(key: str) -> Championship:
    """The championship of that key, with its club; Http404."""
    return get_object_or_404(Championship.objects.select_related("club"), key=key)


def championships_of_club(club: Club) -> QuerySet[Championship]:
    """The club's championships, newest first, with `round_count`."""
    return club.championships.order_by("-created_at", "-pk").annotate(round_count=Count("rounds"))


def rallies_without_round(club: Club) -> QuerySet[Rally]:
    """The club's rallies that may become a round."""
    return club.rallies.filter(round=None).exclude(status=Rally.Status.CANCELLED)


def table(championship: Championship) -> Table:
    """Standings over the rounds that are over, in six queries.

    Shared places bring that place's points to each who shares it; equal totals share a place: 1, 1, 3.
    Who retired from a stage is classified by the time of rule E7 and gets the points of that place.
    """
    rounds = list(championship.rounds.select_related("rally").order_by("number"))
    over = [each.rally for each in rounds if each.rally.status == Rally.Status.FINISHED]
    results = results_of_rallies(over) if over else {}
    drivers: dict[int, User] = {}
    scores: dict[int, dict[int, Score]] = defaultdict(dict)
    for each in rounds:
        for line in results[each.rally_id].overall if each.rally_id in results else []:
            if line.place is not None:
                drivers[line.entry.driver_id] = line.entry.driver
                points = worth(line.place, championship.points)
                scores[line.entry.driver_id][each.number] = Score(line.place, points, bool(line.retired_on))
    totals = {pk: sum(score.points for score in scores[pk].values()) for pk in drivers}
    ranked = sorted(drivers, key=lambda pk: (-totals[pk], drivers[pk].name))
    return Table(
        rounds,
        [
            Standing(place, drivers[pk], tuple(scores[pk].get(each.number) for each in rounds), totals[pk])
            for pk, place in zip(ranked, places([-totals[pk] for pk in ranked]), strict=True)
        ],
    )
