"""Whether the rounds of a season fit its calendar: how long each rally takes, and where it overlaps the next round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Any

from championship.clubs.models import Club
from championship.rallies.clock.length_estimate import Estimate
from championship.rallies.desk.long_rallies import Proposal, proposal_for
from championship.rallies.models import Entry, Rally
from championship.runs.watch.lengths import estimate_of, expected_cars, largest_table_size, run_averages
from championship.seasons import rally_defaults
from championship.seasons.models import Round
from championship.seasons.season_plans import AvailableStages, Plan


@dataclass(frozen=True, slots=True)
class Fit:
    """How long a rally takes, and until when, where its day is known. `next_day`: when the next round is planned.
    `proposal`: rounds together, where a planned rally takes very long without them.
    """

    name: str
    takes: Estimate
    until: date | None = None
    next_day: date | None = None
    proposal: Proposal | None = None

    @property
    def overlaps_next(self) -> bool:
        """Whether the next round begins before this one is likely to be over."""
        return self.until is not None and self.next_day is not None and self.next_day < self.until


def fit_of(rally: Rally, today: date) -> Fit:
    """Return the fit of a rally that is not over. Eight queries at most."""
    cars = rally.entries.filter(status__in=Entry.Status.taking_places()).count()
    stages = list(rally.stages.order_by("number"))
    cars = cars or expected_cars(rally.club)
    known = run_averages(rally.club, rally.game, largest_table_size(rally, cars))
    takes = estimate_of(rally, courses=[stage.spec for stage in stages], cars=cars, known=known)
    own = Round.objects.filter(rally=rally).first()
    begun = rally.started_at.date() if rally.started_at else None
    begins = begun or (own.planned_for if own is not None and own.planned_for else today)
    following = None
    if own is not None:
        later = Round.objects.filter(championship=own.championship_id, number__gt=own.number, planned_for__isnull=False)
        following = later.order_by("number").values_list("planned_for", flat=True).first()
    return Fit(rally.name, takes, begins + timedelta(days=takes.days), following)


def fits_of_plan(plan: Plan, club: Club, available: AvailableStages) -> Sequence[Fit]:
    """Return the fit of each round of a planned season that has stages. One query, and two for each game and size of
    table.
    """
    expected, found = expected_cars(club), []
    learn = cache(lambda game, table: run_averages(club, game, table))

    def takes(rally: Rally, courses: Sequence[Any]) -> Estimate:
        cars = min(expected, rally.entry_limit or expected)
        known = learn(rally.game, largest_table_size(rally, cars))
        return estimate_of(rally, courses=list(courses), cars=cars, known=known)

    for number, each in enumerate(plan.rounds):
        designs = available.of(each)
        if not designs:
            continue
        rally, courses = _unsaved_rally(plan, club, designs[0].game), [design.spec for design in designs]
        whole = takes(rally, courses)
        following = next((later.day for later in plan.rounds[number + 1 :] if later.day), None)
        until = each.day + timedelta(days=whole.days) if each.day else None
        proposal = None if rally.rounds_together else proposal_for(rally, courses, takes)
        found.append(Fit(each.name, whole, until, following, proposal))
    return found


def longest_of(fits: Sequence[Fit]) -> Fit | None:
    """Return the rally of a plan that takes longest among those that had better be driven in rounds together."""
    return max((fit for fit in fits if fit.proposal is not None), key=lambda fit: fit.takes.likely, default=None)


def _unsaved_rally(plan: Plan, club: Club, game: str) -> Rally:
    """Return a rally as the season would create it, not saved."""
    said = rally_defaults.from_json(plan.rally_settings, game)
    rally = Rally(club=club, game=game, mode=said["mode"], turn_hours=said["turn_hours"])
    rally.entry_limit = said["places"]["entry_limit"]
    rally.options = said["options"]
    for name, value in said["timekeeping"].items():
        setattr(rally, name, value)
    return rally
