"""Shows what a draft would do before it is done: line by line, the tables before and after, and totals that differ.

The tables after it are those of a real import that is rolled back, so the page shows what the import would write.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db import transaction
from django.utils.formats import localize
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.lists.found import FoundSeason
from championship.lists.models import ListImport
from championship.lists.plans import Plan
from championship.lists.services.importing import AT_ONCE, championship_of, make_results, plan_of
from championship.lists.services.resolving import Resolved, locked_draft, resolved
from championship.platform.refusals import Refusal
from championship.seasons.models import Championship
from championship.seasons.scoring import tables
from championship.seasons.scoring.values import Number, as_number
from championship.seasons.season_tables import Table
from championship.seasons.selectors import table

MOST_SHOWN = 200
"""The most lines of a plan that the page shows; the counts are of all."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A driver in the table before and after the import. `scheme`: the points of the rounds of the list as the scheme
    gives them, where the list has other ones; else None.
    """

    name: str
    place_before: int | None
    total_before: Number | None
    place: int
    total: Number
    published: Number | None = None
    scheme: Number | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """A draft as its page shows it. `refusal`: why it cannot be imported as it is, "" where it can. `checks`: totals of
    the list that differ. `standings`: the drivers' table after the import, empty where it is not computed.
    """

    now: Resolved
    plan: Plan
    standings: Sequence[Standing] = ()
    checks: Sequence[str] = ()
    refusal: str = ""
    long: bool = False

    @property
    def has_published(self) -> bool:
        """Whether points of the list were published."""
        return any(each.published is not None for each in self.standings)


def look(*, by: User, draft: ListImport) -> Look:
    """Return what a draft would do. Nothing is written. Only organisers."""
    require_role(by, draft.club, Role.ORGANISER)
    now = resolved(draft)
    plan = plan_of(now)
    if draft.purpose != "results" or not plan.does_something:
        return Look(now, plan)
    if len(plan.all_lines) > AT_ONCE:
        return Look(now, plan, long=True)
    championship = championship_of(draft)
    before = table(championship)
    before_lines = {line.who.pk: line for line in before.drivers}
    try:
        with transaction.atomic():
            made = make_results(by, draft, now, plan)
            after = table(Championship.objects.select_related("club").get(pk=championship.pk))
            after_lines = after.drivers
            numbers = {each.number for each in after.rounds if each.pk in made["rounds"]}
            scheme = _by_scheme(after, numbers)
            transaction.set_rollback(True)
    except Refusal as refusal:
        return Look(now, plan, refusal=str(refusal))
    published, driven = _sums(after, numbers)
    standings = [
        Standing(
            name=str(line.who),
            place_before=before_lines[pk].place if (pk := line.who.pk) in before_lines else None,
            total_before=before_lines[pk].total if pk in before_lines else None,
            place=line.place,
            total=line.total,
            published=as_number(published[pk]) if pk in published else None,
            scheme=as_number(scheme[pk]) if pk in published and scheme.get(pk) is not None else None,
        )
        for line in after_lines
    ]
    return Look(now, plan, standings, _checks(now, driven, {line.who.pk: line.total for line in after_lines}))


def _by_scheme(after: Table, numbers: set[int]) -> dict[int, int]:
    """Return the points of these rounds as the scheme gives them by the places, in hundredths, by driver: of those that
    have published points, with which they are compared.
    """
    season = after.season
    rounds = tuple(
        replace(each, results=tuple(replace(result, published=None) for result in each.results))
        for each in season.rounds
        if each.number in numbers and any(result.published is not None for result in each.results)
    )
    lines = tables.drivers(replace(season, rounds=rounds, adjustments=()))
    return {int(line.subject): sum(score.points for score in line.scores.values()) for line in lines}


def _sums(after: Table, numbers: set[int]) -> tuple[dict[int, int], dict[int, int]]:
    """Return the points of these rounds by driver, in hundredths: those that were published, and all."""
    published: dict[int, int] = defaultdict(int)
    for each in after.season.rounds:
        for result in each.results if each.number in numbers else ():
            if result.published is not None:
                published[int(result.driver)] += result.published
    driven: dict[int, int] = {
        int(line.subject): sum(score.points for number, score in line.scores.items() if number in numbers)
        for line in tables.drivers(after.season)
    }
    return published, driven


def _checks(now: Resolved, driven: Mapping[int, int], totals: Mapping[int, Number]) -> list[str]:
    """Return a sentence for each total of the list that is neither the sum of its rounds nor the one in the table."""
    assert isinstance(now.found, FoundSeason)
    told = []
    for each in now.found.totals:
        person = now.person(each.person)
        if person is None or person.pk is None or each.points_hundredths is None:
            continue
        given, total = driven.get(person.pk, 0), totals.get(person.pk)
        if each.points_hundredths == given or as_number(each.points_hundredths) == total:
            continue
        words = {
            "name": person.name,
            "written": localize(as_number(each.points_hundredths)),
            "given": localize(as_number(given)),
        }
        told.append(_("%(name)s: the list says %(written)s in all, the rounds give %(given)s.") % words)
    return told


@transaction.atomic
def choose(*, by: User, draft: ListImport, version: int, power_stage: bool, scored: bool = False) -> ListImport:
    """Keep how a list of results is imported: whether the last stage of each round was its power stage, and whether
    points are results of the rallies, for which the season's scheme gives the points of the championship.

    Raises: Stale when the draft has changed since, or is imported already.
    """
    draft = locked_draft(by, draft, version)
    draft.answers = {**draft.answers, "power_stage": power_stage, "scored": scored}
    draft.version += 1
    draft.save(update_fields=["answers", "version"])
    return draft
