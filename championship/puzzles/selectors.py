"""Read functions for pages of puzzles, each with a fixed number of queries. A puzzle is shown as long as everybody may
see the run that it is from.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.platform.prepared_queries import BoundQuery, any_of, prepared
from championship.platform.refusals import Forbidden
from championship.puzzles.models import Answer, Puzzle, Solver, TurnAgain
from championship.puzzles.positions import puzzles_of
from championship.runs.models import Run, Seat
from championship.runs.watch import proof
from championship.runs.watch.luck.ledgers import tells
from championship.runs.watch.selectors import run_by_key
from engine import registry

SHOWN = 20
"""Puzzles on a page of the archive."""


def _open(path: str) -> Q:
    """Select what is of rallies that everybody may see: of open clubs, and the open stage; but not of one that keeps
    its decisions to itself. A puzzle tells the best way of a turn, as a ledger does.
    """
    rally = f"{path}special_stage__rally__"
    seen = Q(**{f"{rally}club__visibility": Club.Visibility.PUBLIC}) | Q(**{f"{rally}for_everybody": True})
    return seen & Q(**{f"{rally}practice": False, f"{rally}ledgers": True})


def games_with_puzzles() -> list[str]:
    """Return the games that have questions."""
    return [name for name in registry.names() if puzzles_of(name) is not None]


def open_puzzles() -> QuerySet[Puzzle]:
    """Return the puzzles that everybody may see, with their runs."""
    found = Puzzle.objects.filter(_open("run__"), run__game__in=games_with_puzzles())
    return found.select_related("run__special_stage__rally__club")


def runs_to_search(*, without: Collection[int] = ()) -> QuerySet[Run]:
    """Return finished runs of open clubs in which puzzles were not looked for, the newest first. Stages on which
    somebody still drives come later.
    """
    over = Run.objects.filter(_open(""), status=Run.Status.FINISHED, game__in=games_with_puzzles())
    driven = Run.objects.filter(status=Run.Status.RUNNING).values("special_stage")
    closed = ~Q(special_stage__rally__for_everybody=True, special_stage__status="running")
    waiting = over.filter(closed, searched_for_puzzles=None).exclude(special_stage__in=driven).exclude(pk__in=without)
    return waiting.select_related("special_stage__rally").order_by("-finished_at", "-pk")


def newest(*, today: date) -> Puzzle | None:
    """Return the puzzle of the day; where there is none, the one before. One query."""
    return open_puzzles().filter(day__lte=today).order_by("-day").first()


def newest_of_page(now: datetime, **_known: Any) -> BoundQuery[tuple[Any, ...]]:
    """Return the query of the day of the newest puzzle, for a page that reads it with all else."""
    return _newest_day.bind(games=games_with_puzzles(), today=now.astimezone(UTC).date())


@prepared
def _newest_day(games: Any, today: Any) -> QuerySet[Puzzle, tuple[Any, ...]]:
    found = Puzzle.objects.filter(_open("run__"), run__game__in=any_of(games, "text"), day__lte=today)
    return found.order_by("-day").values_list("day")[:1]


def due_of_page(reader: int, now: datetime, **_known: Any) -> BoundQuery[tuple[Any, ...]]:
    """Return the query of the ids of `due`, for a page that only counts them and reads all else with it."""
    return _due.bind(person=reader, games=games_with_puzzles(), today=now.astimezone(UTC).date())


@prepared
def _due(person: Any, games: Any, today: Any) -> QuerySet[TurnAgain, tuple[Any, ...]]:
    found = TurnAgain.objects.filter(person=person, due__lte=today, run__game__in=any_of(games, "text"))
    return found.filter(run__special_stage__rally__ledgers=True).order_by("due", "pk").values_list("pk")[:SHOWN]


def puzzle_of(day: date, *, today: date) -> Puzzle:
    """Return the puzzle of a day. One query.

    Raises: Http404 when there is none, or the day is still to come.
    """
    if day > today:
        raise Http404
    return get_object_or_404(open_puzzles(), day=day)


def past(*, today: date, number: str) -> Page[Any]:
    """Return a page of the archive, the newest first. Two queries."""
    return Paginator(open_puzzles().filter(day__lte=today).order_by("-day"), SHOWN).get_page(number)


@dataclass(frozen=True, slots=True)
class Mine:
    """What a person has to do with puzzles: the first answer to this one, and the rating, where it is shown."""

    answer: Answer | None = None
    rating: int | None = None


def mine(person: User | None, puzzle: Puzzle | None) -> Mine:
    """Return what a person has to do with a puzzle. Two queries; none for nobody."""
    if person is None:
        return Mine()
    own = None if puzzle is None else Answer.objects.filter(person=person, puzzle=puzzle).first()
    solver = Solver.objects.filter(person=person, shown=True).first()
    return Mine(own, None if solver is None else round(solver.rating))


def solved_days(person: User | None, puzzles: Collection[Puzzle]) -> dict[int, bool]:
    """Return by puzzle whether a person's first answer was right. One query."""
    if person is None:
        return {}
    return dict(Answer.objects.filter(person=person, puzzle__in=puzzles).values_list("puzzle", "solved"))


# Own turns -------------------------------------------------------------------------------------------


def has_turns_again(run: Run) -> bool:
    """Return whether the turns of a run can be driven again: it is over, its draws are open, its game has questions and
    its rally shows ledgers. One query at most.
    """
    if run.status != Run.Status.FINISHED or puzzles_of(run.game) is None:
        return False
    return tells(run.special_stage.rally) and proof.may_show(run)


def may_drive_on(run: Run, person: User) -> None:
    """Check that a person may drive on from a run: its draws are open, and they may have its course. Four queries at
    most.

    Raises: Http404 where they may not.
    Raises: Forbidden where others still drive the stage.
    """
    if run.status != Run.Status.FINISHED or run.special_stage.rally.practice or not proof.may_have_record(run, person):
        raise Http404
    if not proof.may_show(run):
        raise Forbidden(_("This is shown when all cars have finished. Until then its draws must stay secret."))


def own_run(key: str, person: User) -> tuple[Run, str]:
    """Return a run that the person has driven in, and their seat. Six queries at most.

    Raises: Http404 where they have not, or its turns cannot be driven again.
    """
    run = run_by_key(key, person)
    seat = Seat.objects.filter(run=run, entry__driver=person).values_list("name", flat=True).first()
    if seat is None or not has_turns_again(run):
        raise Http404
    return run, seat


def due(person: User, *, today: date) -> list[TurnAgain]:
    """Return the turns that come back to a person today, the longest due first. One query."""
    found = TurnAgain.objects.filter(person=person, due__lte=today, run__game__in=games_with_puzzles())
    found = found.filter(run__special_stage__rally__ledgers=True)
    return list(found.select_related("run__special_stage__rally").order_by("due", "pk")[:SHOWN])
