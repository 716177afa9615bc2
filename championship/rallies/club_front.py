"""What a club drives just now, and its last podium, as everybody may know them: for the first page of the club."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count
from django.utils.translation import gettext as _

from championship.clubs.models import Club
from championship.rallies.models import Rally, SpecialStage, StartPlace
from championship.rallies.results.classification import Line, on_podium
from championship.rallies.results.selectors import Results, lead_in_words, results_of_rallies
from championship.rallies.selectors import current_stage

MOST_UNDER_WAY = 4
"""Rallies under way that the first page of a club shows with their leaders."""


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A rally under way: its current stage, how many of the `starters` are in there, and who leads in words."""

    rally: Rally
    stage: SpecialStage
    times_in: int
    starters: int
    leads: str

    @property
    def on_the_road(self) -> bool:
        return self.stage.status == SpecialStage.Status.RUNNING


@dataclass(frozen=True, slots=True)
class LastPodium:
    """The rally that was over last, and the lines of its first three places."""

    rally: Rally
    lines: tuple[Line, ...]


def under_way(club: Club) -> list[UnderWay]:
    """Return the MOST_UNDER_WAY rallies of the club that started last and are under way. Seven queries for any number
    of rallies and cars, one when there is none.
    """
    found = Rally.objects.filter(club=club, status=Rally.Status.RUNNING, practice=False, for_everybody=False)
    rallies = list(found.order_by("-started_at", "-pk")[:MOST_UNDER_WAY])
    if not rallies:
        return []
    results = results_of_rallies(rallies)
    stages = {rally.pk: current_stage(results[rally.pk].stages) for rally in rallies}
    counted = StartPlace.objects.filter(special_stage__in=[stage.pk for stage in stages.values()])
    starters = dict(counted.values_list("special_stage").annotate(n=Count("pk")))
    return [_under_way(results[rally.pk], stages[rally.pk], starters) for rally in rallies]


def _under_way(results: Results, stage: SpecialStage, starters: Mapping[int, int]) -> UnderWay:
    leads = lead_in_words(results.overall) or lead_in_words(results.stage_lines(stage.number))
    here = sum(number == stage.number for number, _entry in results.driven)
    return UnderWay(
        rally=results.rally,
        stage=stage,
        times_in=here + results.sealed.get(stage.number, 0),
        starters=starters.get(stage.pk, 0),
        leads=leads or _("Nobody is in yet."),
    )


def last_podium(club: Club) -> LastPodium | None:
    """Return the podium of the club's rally that was over last; None before the first. Six queries."""
    over = Rally.objects.filter(club=club, status=Rally.Status.FINISHED, practice=False, for_everybody=False)
    rally = over.order_by("-finished_at", "-pk").first()
    if rally is None:
        return None
    lines: Sequence[Line] = results_of_rallies([rally])[rally.pk].overall
    return LastPodium(rally, tuple(on_podium(lines)))
