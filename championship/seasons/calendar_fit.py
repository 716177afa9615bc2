"""Whether the rounds of a season fit its calendar: how long each rally takes, and where it overlaps the next round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from championship.clubs.models import Club, Role
from championship.rallies.clock.length_estimate import Estimate
from championship.rallies.models import Entry, Rally
from championship.runs.watch.lengths import estimate_of, largest_table_size, run_averages
from championship.seasons import rally_defaults
from championship.seasons.models import Round
from championship.seasons.season_plans import AvailableStages, Plan

MIN_EXPECTED_CARS = 6


@dataclass(frozen=True, slots=True)
class Fit:
    """How long a rally takes, and until when, where its day is known. `next_day`: when the next round is planned."""

    name: str
    takes: Estimate
    until: date | None = None
    next_day: date | None = None

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


def expected_cars(club: Club) -> int:
    """Return how many cars a rally of a club is likely to have: as many as the club has drivers, but at least
    MIN_EXPECTED_CARS.
    """
    drivers = club.memberships.filter(roles__contains=[str(Role.DRIVER)]).count()
    return max(MIN_EXPECTED_CARS, drivers)


def fits_of_plan(plan: Plan, club: Club, available: AvailableStages) -> Sequence[Fit]:
    """Return the fit of each round of a planned season that has stages. One query, and two for each game and size of
    table.
    """
    expected, found = expected_cars(club), []
    learn = cache(lambda game, table: run_averages(club, game, table))
    for number, each in enumerate(plan.rounds):
        designs = available.of(each)
        if not designs:
            continue
        rally = _unsaved_rally(plan, club, designs[0].game)
        cars = min(expected, rally.entry_limit or expected)
        known_runs = learn(rally.game, largest_table_size(rally, cars))
        takes = estimate_of(rally, courses=[design.spec for design in designs], cars=cars, known=known_runs)
        following = next((later.day for later in plan.rounds[number + 1 :] if later.day), None)
        until = each.day + timedelta(days=takes.days) if each.day else None
        found.append(Fit(each.name, takes, until, following))
    return found


def _unsaved_rally(plan: Plan, club: Club, game: str) -> Rally:
    """Return a rally as the season would create it, not saved."""
    said = rally_defaults.from_json(plan.rally_settings, game)
    rally = Rally(club=club, game=game, mode=said["mode"], turn_hours=said["turn_hours"])
    rally.entry_limit = said["places"]["entry_limit"]
    rally.options = said["options"]
    for name, value in said["timekeeping"].items():
        setattr(rally, name, value)
    return rally
