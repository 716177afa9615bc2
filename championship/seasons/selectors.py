"""What the pages of a season show. The table is computed from stage times; rounds add no queries."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, QuerySet
from django.shortcuts import get_object_or_404

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.rallies import classification
from championship.rallies.classification import places
from championship.rallies.models import Rally
from championship.rallies.results import Results, results_of_rallies
from championship.seasons import standings
from championship.seasons.models import Championship, Registration, Round, Team
from championship.seasons.standings import Drive, Score, Standing


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a table: who, the place, one score per round (None where there is none), the total."""

    place: int
    who: User | Team
    scores: tuple[Score | None, ...]
    total: int
    member: Registration | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The championship's tables; its rounds are the columns. `classes` by name, in the championship's order."""

    rounds: Sequence[Round]
    drivers: Sequence[Line]
    classes: Mapping[str, Sequence[Line]]
    teams: Sequence[Line]
    drives: Sequence[Drive]


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
    """Standings over the rounds that are over, in eight queries however many rounds and drivers there are.

    Shared places bring that place's points to each who shares it; who is level in points and in every tie-break of
    the scheme shares a place: 1, 1, 3. Who retired from a stage is classified by the time of rule E7.
    """
    rounds = list(championship.rounds.select_related("rally").order_by("number"))
    over = [each for each in rounds if each.rally.status == Rally.Status.FINISHED]
    results = results_of_rallies([each.rally for each in over]) if over else {}
    drives = [drive for each in over for drive in drives_of(each, results[each.rally_id])]
    people = {entry.driver_id: entry.driver for each in over for entry in results[each.rally_id].entries.values()}
    members = {member.driver_id: member for member in championship.registrations.all()}
    teams = {team.pk: team for team in championship.teams.all()}
    crews: dict[int, set[int]] = {pk: set() for pk in teams}
    for member in members.values():
        if member.team_id is not None:
            crews[member.team_id].add(member.driver_id)
    scheme, calendar = championship.scheme, len(rounds)

    def lines(found: Sequence[Standing], who: Mapping[int, User | Team]) -> list[Line]:
        told = [
            Line(
                each.place,
                who[each.subject],
                tuple(each.scores.get(round.number) for round in rounds),
                each.total,
                members.get(each.subject),
            )
            for each in found
        ]
        return sorted(told, key=lambda line: (line.place, str(line.who)))

    return Table(
        rounds=rounds,
        drivers=lines(standings.drivers(scheme, drives, calendar=calendar), people),
        classes={
            name: lines(standings.in_class(scheme, drives, name, calendar=calendar), people)
            for name in championship.classes
        },
        teams=lines(standings.teams(scheme, drives, crews), teams) if drives else [],
        drives=drives,
    )


def drives_of(each: Round, results: Results) -> list[Drive]:
    """What every entry did in a round that is over. Places within a class follow the overall times."""
    wins: Counter[int] = Counter()
    for stage in results.stages:
        wins.update(line.entry.pk for line in results.stage_lines(stage.number) if line.place == 1)
    power_stage = each.power_stage or len(results.stages)
    power = {line.entry.pk: line.place for line in results.stage_lines(power_stage) if not line.retired_on}
    by_class: dict[str, list[classification.Line]] = defaultdict(list)
    for line in results.overall:
        if line.place is not None:
            by_class[line.entry.car_class].append(line)
    in_class = {
        line.entry.pk: place
        for lines in by_class.values()
        for line, place in zip(lines, places([line.seconds or 0 for line in lines]), strict=True)
    }
    return [
        Drive(
            round=each.number,
            driver=line.entry.driver_id,
            place=line.place,
            car_class=line.entry.car_class,
            class_place=in_class.get(line.entry.pk),
            power=power.get(line.entry.pk),
            stage_wins=wins[line.entry.pk],
            retired=bool(line.retired_on),
        )
        for line in results.overall
    ]
