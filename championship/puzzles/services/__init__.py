"""Every service that writes about puzzles: find them in finished runs, choose the one of the day, answer and vote.
`turns_again` lets missed turns come back, `driving_on` drives on from a turn.

A day begins at 00:00 UTC, as a week of the open stage does.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.failures.services import Attempts
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.puzzles import glicko, positions
from championship.puzzles.glicko import Rating
from championship.puzzles.models import Answer, Puzzle, Rated, Searched, Solver
from championship.puzzles.selectors import open_puzzles, runs_to_search
from championship.runs.models import Run
from championship.runs.watch import proof
from championship.stages.private import is_private
from engine.contract import Weighed
from engine.puzzles import is_puzzle, margin

RUNS_AT_ONCE = 5
"""How many runs one sweep searches. Each takes a second or two of a processor."""
MOST_ASKED = 400
"""In how many situations of a run a puzzle is looked for. A longer run is looked at here and there."""
ENOUGH = 30
"""With as many puzzles waiting that everybody may see, no more are looked for."""


def today() -> date:
    """Return the day, in UTC."""
    return clock.now().astimezone(UTC).date()


# Finding --------------------------------------------------------------------------------------------


def look_for_puzzles(*, now: datetime) -> int:
    """Search some finished runs, each by itself, and choose the puzzle of the day. Returns how many were found."""
    found, tries = 0, Attempts("puzzles of a run", now=now)
    try:
        if open_puzzles().filter(day=None).count() < ENOUGH:
            put_off = {int(unit) for unit in tries.put_off() if unit.isdecimal()}
            for run in runs_to_search(without=put_off)[:RUNS_AT_ONCE]:
                found += tries.attempt(run.pk, partial(search, run=run, now=now)) or 0
    finally:  # also when the time of the task is over
        choose(day=now.astimezone(UTC).date())
    return found


def search(*, run: Run, now: datetime) -> int:
    """Store the puzzle of a run, if it has one: of several the one with the largest gap. A run is searched once.
    Returns how many were stored.
    """
    puzzles = positions.required_puzzles(run.game)
    best = None if is_private(run.game, run.stage) or not proof.may_show(run) else _best_of(run, now)
    try:
        with transaction.atomic():
            Searched.objects.create(run=run, version=puzzles.puzzle_version, at=now)
            if best is not None:
                best.save(force_insert=True)
    except IntegrityError:  # another worker was faster
        if not Searched.objects.filter(run=run).exists():
            raise
        return 0
    return int(best is not None)


def _best_of(run: Run, now: datetime) -> Puzzle | None:
    puzzles = positions.required_puzzles(run.game)
    scale = puzzles.puzzle_scale
    found: Puzzle | None = None
    for position in positions.spread(list(positions.positions(run)), MOST_ASKED):
        question = puzzles.question(position.state, position.seat)
        if question is None or not is_puzzle(question, scale):
            continue
        gap = margin(question, scale)
        if found is not None and gap <= found.gap:
            continue
        assert question.second is not None and question.obvious is not None
        found = Puzzle(
            run=run,
            event=position.event,
            seat=position.seat,
            version=puzzles.puzzle_version,
            state=position.state,
            best=_stored(question.best),
            second=_stored(question.second),
            obvious=_stored(question.obvious),
            themes=list(question.themes),
            ways=question.ways,
            gap=gap,
            found_at=now,
        )
    if found is not None:
        found.prepared = puzzles.prepared(found.state, found.seat)
    return found


def _stored(way: Weighed) -> dict[str, Any]:
    return {key: dict(value) if isinstance(value, dict) else value for key, value in asdict(way).items()}


def choose(*, day: date) -> Puzzle | None:
    """Give the day its puzzle: of those that wait, one of another game than yesterday if there is one, the oldest
    first. Called again, it changes nothing. Returns the puzzle; None where none waits.
    """
    chosen = Puzzle.objects.filter(day=day).first()
    if chosen is not None:
        return chosen
    last = Puzzle.objects.filter(day__lt=day).select_related("run").first()
    waiting = list(open_puzzles().filter(day=None).order_by("found_at", "pk")[:ENOUGH])
    waiting.sort(key=lambda puzzle: last is not None and puzzle.run.game == last.run.game)
    for puzzle in waiting[:1]:
        try:
            with transaction.atomic():
                Puzzle.objects.filter(pk=puzzle.pk, day=None).update(day=day)
        except IntegrityError:  # another worker has chosen
            return Puzzle.objects.filter(day=day).first()
    return Puzzle.objects.filter(day=day).first()


# Answering ------------------------------------------------------------------------------------------


@transaction.atomic
def answer(*, by: User, puzzle: Puzzle, given_up: int, solved: bool) -> bool:
    """Store the first answer of a person, and rate both. A later one changes nothing. Returns whether it was the first.
    `given_up`: in hundredths.
    """
    locked = Puzzle.objects.select_for_update(of=("self",)).get(pk=puzzle.pk)
    if Answer.objects.filter(puzzle=locked, person=by).exists():
        return False
    Answer.objects.create(puzzle=locked, person=by, loss=given_up, solved=solved, at=clock.now())
    solver, _new = Solver.objects.select_for_update().get_or_create(person=by)
    own, its = _rating(solver), _rating(locked)
    _rate(solver, glicko.after(own, [(its, float(solved))]))
    _rate(locked, glicko.after(its, [(own, float(not solved))]))
    solver.save()
    locked.tried, locked.solved = F("tried") + 1, F("solved") + int(solved)
    locked.save(update_fields=["tried", "solved", "rating", "deviation", "volatility"])
    return True


def _rating(rated: Rated) -> Rating:
    return Rating(rated.rating, rated.deviation, rated.volatility)


def _rate(rated: Rated, now: Rating) -> None:
    rated.rating, rated.deviation, rated.volatility = now


@transaction.atomic
def vote(*, by: User, puzzle: Puzzle, value: int) -> None:
    """Vote for a puzzle (1), against it (-1), or take the vote back (0). A vote that stands already changes nothing.

    Raises: Refused before the person has answered, and for another number.
    """
    if value not in (-1, 0, 1):
        raise Refused(_("Vote for the puzzle or against it."), field="vote")
    locked = Puzzle.objects.select_for_update(of=("self",)).get(pk=puzzle.pk)
    own = Answer.objects.filter(puzzle=locked, person=by).first()
    if own is None:
        raise Refused(_("Answer the puzzle first, then vote."), field="vote")
    locked.likes += value - own.vote
    own.vote = value
    own.save(update_fields=["vote"])
    locked.save(update_fields=["likes"])


@transaction.atomic
def show_rating(*, by: User, shown: bool) -> None:
    """Show a person their own rating, or hide it."""
    Solver.objects.update_or_create(person=by, defaults={"shown": shown})
