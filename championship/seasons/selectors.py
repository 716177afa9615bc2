"""What the pages of a season show. Tables are computed from results of stages; rounds and seasons add no queries."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, QuerySet
from django.shortcuts import get_object_or_404

from championship.accounts.models import User
from championship.clubs import visibility
from championship.clubs.models import Club
from championship.rallies import classification
from championship.rallies.classification import places
from championship.rallies.models import Rally
from championship.rallies.results import Results, results_of_rallies
from championship.seasons import standings
from championship.seasons.models import Championship, Registration, Round, SeasonDraft, Team
from championship.seasons.standings import Drive, Score, Standing

Who = User | Team


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a table: who, the place, one score per round (None where there is none), the total, rallies won.

    `parted_by`: the tie-break that put the line behind the one before it, which has as many points.
    """

    place: int
    who: Who
    scores: tuple[Score | None, ...]
    total: int
    wins: int
    member: Registration | None = None
    parted_by: str | None = None


@dataclass(frozen=True)
class Table:
    """The championship's tables; its rounds are the columns. Each is computed when it is asked for.

    `results` by rally id, of the rounds that are over.
    """

    championship: Championship
    rounds: Sequence[Round]
    registrations: Sequence[Registration]
    team_list: Sequence[Team]
    results: Mapping[int, Results]

    @cached_property
    def over(self) -> list[Round]:
        """The rounds that count already."""
        return [each for each in self.rounds if each.rally_id in self.results]

    @property
    def calendar(self) -> int:
        """How many rounds the season has in all: a rally that was called off is none."""
        return sum(each.rally.status != Rally.Status.CANCELLED for each in self.rounds)

    @cached_property
    def drives(self) -> list[Drive]:
        """What everybody brought home from them."""
        return [drive for each in self.over for drive in drives_of(each, self.results[each.rally_id])]

    @cached_property
    def members(self) -> dict[int, Registration]:
        """Registrations by driver id, with their teams."""
        teams = {team.pk: team for team in self.team_list}
        for member in self.registrations:
            if member.team_id is not None:
                member.team = teams[member.team_id]
        return {member.driver_id: member for member in self.registrations}

    @cached_property
    def people(self) -> dict[int, User]:
        """Everybody who drove in a round, by id."""
        return {
            entry.driver_id: entry.driver
            for each in self.over
            for entry in self.results[each.rally_id].entries.values()
        }

    @cached_property
    def drivers(self) -> list[Line]:
        """The drivers' table. Shared places bring that place's points to each who shares it; who is level in points
        and in every tie-break of the scheme shares a place: 1, 1, 3. Who retired is classified by what the game gives
        for it (E7).
        """
        found = standings.drivers(self.championship.scheme, self.drives, calendar=self.calendar)
        return self._lines(found, self.people)

    @cached_property
    def classes(self) -> dict[str, list[Line]]:
        """A table for each class, by name, in the championship's order."""
        return {name: self.in_class(name) for name in self.championship.classes}

    def in_class(self, name: str) -> list[Line]:
        """The table of one class."""
        found = standings.in_class(self.championship.scheme, self.drives, name, calendar=self.calendar)
        return self._lines(found, self.people)

    @cached_property
    def teams(self) -> list[Line]:
        """The teams' table; empty before the first round is over."""
        if not self.drives:
            return []
        crews: dict[int, set[int]] = {team.pk: set() for team in self.team_list}
        for member in self.registrations:
            if member.team_id is not None:
                crews[member.team_id].add(member.driver_id)
        found = standings.teams(self.championship.scheme, self.drives, crews)
        return self._lines(found, {team.pk: team for team in self.team_list})

    def _lines(self, found: Sequence[Standing], who: Mapping[int, Who]) -> list[Line]:
        scheme = self.championship.scheme
        ordered = sorted(found, key=lambda line: (line.place, str(who[line.subject])))
        before = {line.subject: ahead for ahead, line in pairwise(ordered)}
        return [
            Line(
                place=each.place,
                who=who[each.subject],
                scores=tuple(each.scores.get(round.number) for round in self.rounds),
                total=each.total,
                wins=each.record.all_places.count(1),
                member=None if isinstance(who[each.subject], Team) else self.members.get(each.subject),
                parted_by=standings.parted_by(scheme, before[each.subject], each) if each.subject in before else None,
            )
            for each in ordered
        ]


def championship_by_key(key: str, viewer: User | AnonymousUser) -> Championship:
    """The championship of that key, with its club, for who may see it: one query, one more where the club is
    for members only.

    Raises: Http404; NotYet for who has not signed in.
    """
    found = get_object_or_404(Championship.objects.select_related("club"), key=key)
    visibility.let_in(found.club, viewer)
    return found


def championships_of_club(club: Club) -> QuerySet[Championship]:
    """The club's championships, newest first, with `round_count`."""
    return club.championships.order_by("-created_at", "-pk").annotate(round_count=Count("rounds"))


def draft_of(club: Club, viewer: User) -> SeasonDraft | None:
    """The season of the club that the viewer has begun to make: one query."""
    return SeasonDraft.objects.filter(club=club, by=viewer, made=None).first()


def rallies_without_round(club: Club) -> QuerySet[Rally]:
    """The club's rallies that may become a round."""
    return club.rallies.filter(round=None).exclude(status=Rally.Status.CANCELLED)


def table(championship: Championship) -> Table:
    """Standings over the rounds that are over, in eight queries however many rounds and drivers there are."""
    rounds = list(championship.rounds.select_related("rally").order_by("number"))
    over = [each.rally for each in rounds if each.rally.status == Rally.Status.FINISHED]
    return Table(
        championship=championship,
        rounds=rounds,
        registrations=list(championship.registrations.all()),
        team_list=list(championship.teams.all()),
        results=results_of_rallies(over) if over else {},
    )


def stage_wins(results: Results) -> Counter[int]:
    """How many stages each entry won, by entry id; who shares the best result has won too."""
    wins: Counter[int] = Counter()
    for stage in results.stages:
        wins.update(results.winners(stage.number))
    return wins


def drives_of(each: Round, results: Results) -> list[Drive]:
    """What every entry did in a round that is over. Places within a class follow the overall totals."""
    wins = stage_wins(results)
    power_stage = len(results.stages) if each.power_stage is None else each.power_stage
    on_it = results.stage_lines(power_stage) if power_stage else ()
    power = {line.entry.pk: line.place for line in on_it if not line.retired_on}
    by_class: dict[str, list[classification.Line]] = defaultdict(list)
    for line in results.overall:
        if line.place is not None:
            by_class[line.entry.car_class].append(line)
    in_class = {
        line.entry.pk: place
        for lines in by_class.values()
        for line, place in zip(lines, places([(line.total, line.rank) for line in lines]), strict=True)
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
