"""How long runs really take: turns of a car, and how soon drivers answer. Both are learned from finished runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Avg, Count, DurationField, Exists, ExpressionWrapper, F, Max, OuterRef, Q

from championship.clubs.models import Club, Role
from championship.deadlines.counted_time import counted_seconds_of_a_week
from championship.deadlines.terms import BRISK
from championship.rallies.clock.length_estimate import (
    HOUR,
    UNKNOWN_TURNS,
    Estimate,
    Pace,
    Stage,
    estimate,
)
from championship.rallies.models import Entry, Rally
from championship.runs.models import Post, Run, Seat, Turn
from engine import registry
from engine.contract import Courses, GameError, Lengths, offered

MIN_EXPECTED_CARS = 6
ENOUGH_RUNS, ENOUGH_TURNS = 3, 10
"""With fewer runs or turns than these, the estimate of the game itself is used."""
MAX_RUNS_READ = 300
"""How many of the latest runs are read; of turns, ten times as many."""


@dataclass(frozen=True, slots=True)
class RunAverages:
    """Averages of a game's runs with a given number of cars. `turns`: turns of a car. `answer`: seconds that drivers of
    the club take for an answer. None where there are too few runs or turns.
    """

    turns: int | None = None
    answer: int | None = None


def run_averages(club: Club, game: str, seats: int) -> RunAverages:
    """Return these averages, learned from people only. Two queries. Practice is left out, and so are cars that the
    codriver drives, and turns that were made by the clock or the codriver. Turns of evenings teach nothing about days:
    only how many a car makes is learned from them.
    """
    runs = Run.objects.filter(game=game, status=Run.Status.FINISHED, special_stage__rally__practice=False)
    sized = runs.annotate(cars=Count("seats")).filter(cars=seats).order_by("-pk").values("pk")[:MAX_RUNS_READ]
    by_people = Entry.DrivenBy.PERSON
    taken = Seat.objects.filter(run__in=list(sized.values_list("pk", flat=True)), entry__driven_by=by_people)
    driven = taken.annotate(made=Max("turns__made_before")).exclude(made=None)
    told: dict[str, Any] = driven.aggregate(turns=Avg(F("made") + 1), runs=Count("run", distinct=True))
    took = ExpressionWrapper(F("ended_at") - F("since"), output_field=DurationField())
    in_days = Turn.objects.exclude(terms__has_key=BRISK)
    answers = in_days.filter(
        ~Q(ended_at=F("since")),
        Exists(Post.objects.filter(turn=OuterRef("pk"), by__isnull=False)),
        run__special_stage__rally__club=club,
        run__special_stage__rally__practice=False,
        run__special_stage__rally__rounds_together=False,
        seat__entry__driven_by=by_people,
        ended_at__isnull=False,
        done="",
    ).order_by("-pk")[: 10 * MAX_RUNS_READ]
    spent: dict[str, Any] = Turn.objects.filter(pk__in=answers.values("pk")).aggregate(mean=Avg(took), n=Count("pk"))
    enough = told["runs"] >= ENOUGH_RUNS and told["turns"] is not None
    return RunAverages(
        turns=-(-int(told["turns"] * 10) // 10) if enough else None,
        answer=int(spent["mean"].total_seconds()) if spent["n"] >= ENOUGH_TURNS else None,
    )


def largest_table_size(rally: Rally, cars: int) -> int:
    """Return how many cars the largest table of a rally has when `cars` enter."""
    seats = registry.get(rally.game).seats
    if rally.mode != Rally.Mode.CONVOY:
        return 1
    return max(1, seats.least, min(seats.most, rally.table_size or seats.most, cars))


def expected_cars(club: Club) -> int:
    """Return how many cars a rally of a club is likely to have: as many as the club has drivers, but at least
    MIN_EXPECTED_CARS.
    """
    drivers = club.memberships.filter(roles__contains=[str(Role.DRIVER)]).count()
    return max(MIN_EXPECTED_CARS, drivers)


def expected_length(rally: Rally, courses: Sequence[Any]) -> Estimate:
    """Return how long a rally that is not made yet takes on these courses, with as many cars as its club has drivers.
    Three queries.
    """
    cars = expected_cars(rally.club)
    cars = min(cars, rally.entry_limit or cars)
    known = run_averages(rally.club, rally.game, largest_table_size(rally, cars))
    return estimate_of(rally, courses=list(courses), cars=cars, known=known)


def estimate_of(rally: Rally, *, courses: list[Any], cars: int, known: RunAverages) -> Estimate:
    """Return how long a rally with `cars` cars takes on these courses. No query. The rally need not be saved. `known`:
    what was learned about its game, at tables of this size.
    """
    rules, table = registry.get(rally.game), largest_table_size(rally, cars)
    stages = [_stage(rules, course, rally, table, known) for course in courses]
    return estimate(stages, pace_of(rally, cars=max(1, cars), table=table, answer=known.answer))


def _stage(rules: Any, course: Any, rally: Rally, table: int, known: RunAverages) -> Stage:
    """Return the length of one stage. Turns learned from real runs are preferred to the game's own estimate, but only
    the game can say how courses differ.
    """
    lengths, courses = offered(rules, Lengths), offered(rules, Courses)
    try:
        read = course if courses is None else courses.read_course(course)
        told = None if lengths is None else lengths.length(read, rules.clean_options(rally.options), table)
    except GameError:
        told = None  # a course, or options, that the rules do not accept any more
    turns = known.turns or (UNKNOWN_TURNS if told is None else told.turns)
    late = 0 if told is None else told.rounds - told.turns
    return Stage(turns, turns + late)


def pace_of(rally: Rally, *, cars: int, table: int, answer: int | None) -> Pace:
    """Return a rally's pace in the form that the estimate needs."""
    bank = rally.pace == Rally.Pace.BANK
    way = "alone" if rally.mode == Rally.Mode.OPEN_ROAD else "together" if rally.together else "turns"
    return Pace(
        way="closing" if rally.pace == Rally.Pace.CLOSING else way,
        limit=(rally.bank_hours if bank else rally.turn_hours) * HOUR,
        more=rally.increment_hours * HOUR if bank else None,
        closing=rally.stage_hours * HOUR,
        counted=counted_seconds_of_a_week(rally.counting_in("UTC")),
        answer=answer,
        cars=cars,
        table=table,
    )
