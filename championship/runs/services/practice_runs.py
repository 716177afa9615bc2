"""A person learns to drive: a practice stage is begun, lessons are skipped, and it ends with the car retired or in."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.db import transaction
from django.http import Http404
from django.utils.translation import gettext as _

from championship import clock
from championship.accounts.models import User
from championship.rallies.services import open_practice
from championship.refusals import Refused
from championship.runs import practice
from championship.runs.models import Practice, Run
from championship.runs.services.advancing import advance
from championship.runs.services.moving_run import locked_run, moving

logger = logging.getLogger(__name__)

FORGOTTEN = timedelta(days=30)
"""After so long without a post a practice stage is over."""
MOST_AN_HOUR = 10
"""New practice stages of one person: each is a rally of its own in the database."""


@transaction.atomic
def begin_practice(*, by: User, game: str | None = None, anew: bool = False, exercise: str | None = None) -> Run:
    """The practice stage that the person is on; where there is none, or with `anew`, a new one. One at a time.

    `game`: which one is practised; where none is named that of the last time, or the first that is taught. `exercise`:
    the game's exercise of that name in place of its lessons' stage. Refused for a game that is not taught, for an
    exercise that there is not, and when MOST_AN_HOUR have been begun within the hour; then nothing is ended.
    """
    game = practice.game_taught(game or _last_game(by))
    chosen = practice.exercise_of(game, exercise)
    User.objects.select_for_update().get(pk=by.pk)
    current = Practice.objects.filter(person=by, ended_at=None).first()
    if current is not None and not anew:
        return _run_of(current)
    lately = Practice.objects.filter(person=by, begun_at__gt=clock.now() - timedelta(hours=1))
    if lately.count() >= MOST_AN_HOUR:
        raise Refused(
            _("You have begun again many times within an hour. Drive this one on, or come back a little later.")
        )
    if current is not None:
        _end(current)
    rally = open_practice(
        by=by,
        game=game,
        name=_("Practice"),
        spec=chosen.stage,
        options=chosen.options,
        rivals=chosen.rivals,
        exercise=chosen.name,
    )
    return _run_of(Practice.objects.create(person=by, rally=rally, begun_at=clock.now()))


@transaction.atomic
def skip_lesson(*, by: User, name: str | None = None) -> Run:
    """Leave a lesson out, without a name all of them. Refused for a name that no lesson has; Http404 for who does not
    practise. Skipping twice is skipping once.
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
    """The person has had enough: the car retires. Leaving twice is leaving once."""
    current = Practice.objects.filter(person=by, ended_at=None).first()
    if current is not None:
        _end(current)


def end_forgotten(*, now: datetime, limit: int = 200) -> int:
    """End the practice stages on which nothing has happened for long, each in a transaction of its own; how many."""
    old = Practice.objects.filter(ended_at=None, begun_at__lte=now - FORGOTTEN)
    waiting = old.exclude(rally__stages__runs__posts__at__gt=now - FORGOTTEN)
    ended = 0
    for each in waiting.order_by("begun_at")[:limit]:
        try:
            with transaction.atomic():
                _end(each)
            ended += 1
        except Exception:
            logger.exception("practice %s is forgotten and could not be ended", each.pk)
    return ended


def _last_game(by: User) -> str | None:
    """The game that the person practised last; None for the first time, or where it is taught no more."""
    last = Practice.objects.filter(person=by).order_by("-pk").values_list("rally__game", flat=True).first()
    return last if last in practice.taught_games() else None


def _run_of(current: Practice) -> Run:
    return Run.objects.select_related("special_stage__rally").get(special_stage__rally=current.rally_id)


def _end(current: Practice) -> None:
    """All cars retire from the stage, which ends run, rally and practice; nothing when it is over already."""
    run = locked_run(_run_of(current).pk)
    while run.status == Run.Status.RUNNING:
        [moved], now = moving([run]), clock.now()
        seat = moved.rules.to_play(run.state)[0]
        moved.play(seat, moved.rules.resign(run.state, seat), now=now)
        advance([moved], now=now, call=False)
        run = locked_run(run.pk)
