"""What happens to a driver's time in an evening: when it is over the others are asked first, and they may give more."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from math import ceil

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.deadlines.lifecycle import TIMING_FIELDS, extend
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies.clock.evening_pace import MORE, MOST_TIMES_MORE
from championship.runs.models import Run, Turn
from championship.runs.play.advancing_run import AdvancingRun, load_runs, locked_run
from championship.runs.watch import watching

FIELDS = (*TIMING_FIELDS, "time_up_at", "times_more")


def asks_the_others(advancing: AdvancingRun, turn: Turn, *, now: datetime) -> bool:
    """Keep a turn whose time is over open for the others, who may give more time. Returns False where the codriver
    drives at once: the evening has no such time, it has passed, the others have given enough, or there is nobody who
    could give any. The run is locked.
    """
    rally = advancing.run.special_stage.rally
    grace = rally.evening_pace.grace if rally.keeps_seconds else 0
    if not grace or turn.time_up_at is not None or turn.times_more >= MOST_TIMES_MORE:
        return False
    if not any(seat is not turn.seat and not seat.codriver_drives for seat in advancing.seats.values()):
        return False
    turn.time_up_at = now
    extend(turn, seconds=grace + max(0, ceil((now - turn.deadline).total_seconds())), now=now)
    turn.save(update_fields=FIELDS)
    return True


@transaction.atomic
def give_more(*, by: User, run: Run, seen: datetime | None = None) -> int:
    """Give each other driver of the run who is to play a minute more. Returns to how many turns it was given.

    For drivers of the run, and organisers of the club. `seen`: the latest of these deadlines on the page of the giver;
    a second press of the same button is out of date. Where posts are hidden until a phase closes, the answer is the
    same whatever the others have posted, and nothing is out of date.

    Raises: Forbidden when the codriver drives the giver's car.
    Raises: Refused outside an evening, or when nobody else is to play, or has had more time often enough.
    Raises: Stale when the run is over, or a deadline has changed since.
    """
    run = locked_run(run.pk)
    rally = run.special_stage.rally
    [advancing] = load_runs([run])
    own = next((seat for seat in advancing.seats.values() if seat.entry.driver_id == by.pk), None)
    if own is None:
        require_role(by, rally.club, Role.ORGANISER)
    elif own.codriver_drives:
        raise Forbidden(_("The codriver drives your car. Take it back first."))
    if run.status != Run.Status.RUNNING:
        raise Stale(str(rally.words.over))
    if not rally.keeps_seconds:
        raise Refused(_("Only an evening is short of minutes. Organisers can give hours."))
    others = [turn for turn in advancing.turns.values() if turn.seat is not own and not turn.codriver_drives]
    open_to_all = not watching.may_hide(run)
    if open_to_all and seen is not None and latest(others) != seen:
        raise Stale(_("This deadline has changed meanwhile. This page shows the new one."))
    now, given = clock.now(), 0
    for turn in others:
        if turn.times_more < MOST_TIMES_MORE:
            turn.time_up_at, turn.times_more = None, turn.times_more + 1
            extend(turn, seconds=MORE + max(0, ceil((now - turn.deadline).total_seconds())), now=now)
            turn.save(update_fields=FIELDS)
            given += 1
    if open_to_all and not given:
        raise Refused(_("Nobody else is to play now, or they have had more time often enough."))
    return given


def latest(turns: Iterable[Turn]) -> datetime | None:
    """Return the latest deadline of turns; None without turns."""
    return max((turn.deadline for turn in turns), default=None)
