"""Begin a practice stage, or the open stage out of competition; skip lessons, leave it, and end forgotten ones."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.http import Http404
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.failures.services import Attempts
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.entries.codrivers import names_of
from championship.rallies.models import Rally
from championship.rallies.services import open_practice
from championship.runs.models import Practice, Run
from championship.runs.play.advancing import advance
from championship.runs.play.advancing_run import load_runs, locked_run
from championship.runs.watch import practice

FORGOTTEN = timedelta(days=30)
"""A practice stage without a post for this long is ended."""
MOST_AN_HOUR = 10
"""How many practice stages a person may begin in an hour. Each is a rally of its own in the database."""


class OtherUnderWay(Stale):
    """The person has another stage under way, which a new one would end. `current`: that one."""

    def __init__(self, current: Practice) -> None:
        super().__init__(_("You have a stage under way already. Keep it, or replace it."))
        self.current = current


@transaction.atomic
def begin_practice(
    *, by: User, game: str | None = None, restart: bool = False, exercise: str | None = None, opponent: str = ""
) -> Run:
    """Return the run of the person's practice stage. Without one, or with `restart`, begins a new one and ends the one
    before. A person has one at a time.

    `game` is the game to practise; without one, the game of the last practice, or the first game that has lessons.
    `exercise` names an exercise of the game that replaces the stage of the lessons. `opponent` is the manner of the
    codriver to drive against, one at least; "" for what the exercise says.

    Raises: Refused for a game without lessons, for an unknown exercise or opponent, and when MOST_AN_HOUR have been
    begun within the hour. Then nothing is ended.
    Raises: OtherUnderWay when `game` names another one than is under way, without `restart`.
    """
    named = game
    game = practice.game_taught(game or _last_game(by))
    chosen = practice.exercise_of(game, exercise)
    if opponent and opponent not in names_of(game):
        raise Refused(_("Choose one of the codrivers offered."), field="opponent")
    current = _current(by)
    if current is not None and not restart:
        if named is not None and (current.of_week or current.rally.game != named):
            raise OtherUnderWay(current)
        return _run_of(current)
    _make_room(by, current)
    rally = open_practice(
        by=by,
        game=game,
        name=_("Practice"),
        spec=chosen.stage,
        options=chosen.options,
        rivals=max(chosen.rivals, 1) if opponent else chosen.rivals,
        exercise=chosen.name,
        manner=opponent or chosen.manner,
    )
    return _run_of(Practice.objects.create(person=by, rally=rally, begun_at=clock.now()))


@transaction.atomic
def begin_out_of_competition(*, by: User, open_stage: Rally, restart: bool = False) -> Run:
    """Return the run in which the person drives this open stage out of competition: the same road in a rally of its
    own, with draws of its own. So the drive has no place in the table, and shows nobody what the table's drivers draw.

    Raises: Refused when MOST_AN_HOUR have been begun within the hour. Then nothing is ended.
    Raises: OtherUnderWay when another stage is under way, without `restart`.
    """
    week, current = open_stage.week_name, _current(by)
    if current is not None and not restart:
        if current.of_week != week:
            raise OtherUnderWay(current)
        return _run_of(current)
    _make_room(by, current)
    rally = open_practice(
        by=by,
        game=open_stage.game,
        name=open_stage.name,
        spec=open_stage.stages.get(number=1).spec,
        options=open_stage.options,
        exercise=week,
    )
    return _run_of(Practice.objects.create(person=by, rally=rally, begun_at=clock.now(), of_week=week))


def _current(person: User) -> Practice | None:
    """Lock the person, and return their stage under way.

    Raises: Http404 for a guest who has been deleted meanwhile.
    """
    if User.objects.select_for_update().filter(pk=person.pk).first() is None:
        raise Http404
    return Practice.objects.filter(person=person, ended_at=None).select_related("rally").first()


def _make_room(by: User, current: Practice | None) -> None:
    """End the stage under way, since the person begins another one.

    Raises: Refused when MOST_AN_HOUR have been begun within the hour.
    """
    lately = Practice.objects.filter(person=by, begun_at__gt=clock.now() - timedelta(hours=1))
    if lately.count() >= MOST_AN_HOUR:
        raise Refused(
            _("You have started again many times within an hour. Finish this one, or come back a little later.")
        )
    if current is not None:
        end_practice(current)


@transaction.atomic
def skip_lesson(*, by: User, name: str | None = None) -> Run:
    """Skip a lesson; without a name, all lessons. Skipping twice has the same effect as once.

    Raises: Http404 when the person has no practice stage.
    Raises: Refused when no lesson has that name.
    """
    current = Practice.objects.select_for_update(of=("self",)).filter(person=by, ended_at=None).first()
    if current is None:
        raise Http404
    run = _run_of(current)
    names = [lesson.name for lesson in practice.school(run.game).LESSONS]
    if name is not None and name not in names:
        raise Refused(_("There is no such lesson."), field="lesson")
    current.skipped = [each for each in names if name is None or each == name or each in current.skipped]
    current.save(update_fields=["skipped"])
    return run


@transaction.atomic
def leave_practice(*, by: User) -> None:
    """Leave the practice stage: the car retires. Leaving twice has the same effect as once."""
    current = Practice.objects.filter(person=by, ended_at=None).first()
    if current is not None:
        end_practice(current)


def end_forgotten(*, now: datetime, limit: int = 200) -> int:
    """End up to `limit` practice stages without a recent post, each in its own transaction. Returns how many."""
    old = Practice.objects.filter(ended_at=None, begun_at__lte=now - FORGOTTEN)
    tries = Attempts("forgotten practice", now=now)
    waiting = old.exclude(rally__stages__runs__posts__at__gt=now - FORGOTTEN).exclude(pk__in=tries.put_off())
    ended = 0
    for each in waiting.order_by("begun_at")[:limit]:
        ended += tries.attempt(each.pk, partial(end_practice, each)) or 0
    return ended


def _last_game(by: User) -> str | None:
    """Return the game that the person practised last; None when there is none, or when it has no lessons any more."""
    last = Practice.objects.filter(person=by).order_by("-pk").values_list("rally__game", flat=True).first()
    return last if last in practice.taught_games() else None


def _run_of(current: Practice) -> Run:
    return Run.objects.select_related("special_stage__rally").get(special_stage__rally=current.rally_id)


@transaction.atomic
def end_practice(current: Practice) -> bool:
    """Retire all cars from the stage, which ends run, rally and practice. Returns whether it was still under way."""
    run = locked_run(_run_of(current).pk)
    was_running = run.status == Run.Status.RUNNING
    while run.status == Run.Status.RUNNING:
        [advancing], now = load_runs([run]), clock.now()
        seat = advancing.rules.to_play(run.state)[0]
        advancing.play(seat, advancing.rules.resign(run.state, seat), now=now)
        advance([advancing], now=now, call=False)
        run = locked_run(run.pk)
    return was_running
