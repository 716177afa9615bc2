"""Every service that writes data about open stages: the clock opens and closes them, and a person drives one once."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.openstage.models import Week, name_of
from championship.openstage.opening_times import due_week, end_of
from championship.openstage.result_notices import notify_places
from championship.openstage.selectors import current_week
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies.models import OPEN_STAGE, Rally, SpecialStage
from championship.rallies.services import (
    close_for_everybody,
    enter_for_everybody,
    games_for_everybody,
    make_rally_for_everybody,
)
from championship.runs.models import Run
from championship.runs.play import (
    begin_out_of_competition,
    failing_cars,
    open_own_run,
    rallies_with_failing_cars,
    retire_late,
)


def week_to_open(*, now: datetime) -> date | None:
    """Return the Monday of this week if its stage has to open; None otherwise."""
    return due_week(now=now) if settings.OPEN_STAGE and games_for_everybody() else None


def open_due(*, now: datetime) -> Week | None:
    """Open the stage of this week if there is none yet. Returns None when there is nothing to open.

    A service that was down opens it late, for the rest of the week. Of two workers at the same time only one opens it:
    the week is unique.
    """
    monday = week_to_open(now=now)
    if monday is None:
        return None
    known = games_for_everybody()
    game = known[monday.toordinal() // 7 % len(known)]
    try:
        with transaction.atomic():
            rally = make_rally_for_everybody(game=game, name=f"{OPEN_STAGE}{name_of(monday)}", closes_at=end_of(monday))
            return Week.objects.create(monday=monday, rally=rally, opened_at=now)
    except IntegrityError:  # another worker was faster and has opened it
        if not Week.objects.filter(monday=monday).exists():
            raise
        return None


def weeks_to_close(*, now: datetime) -> QuerySet[Week]:
    """Return the weeks whose stage has to close, and closed ones with cars that could not be retired, the oldest
    first.
    """
    due = Q(rally__stages__status="running", rally__stages__closes_at__lte=now)
    return Week.objects.filter(due | Q(rally__in=rallies_with_failing_cars(now=now))).order_by("monday")


def close(*, week: Week, now: datetime) -> bool:
    """Close a stage whose time is over. Returns whether this call closed it.

    Cars that are still driving retire, each in its own transaction. The stage closes without those that cannot be
    retired. They are tried again later, and then have their results. All drivers are notified of their place.
    """
    stage = week.rally.stages.get(number=1)
    retired = retire_late(special_stage=stage, now=now)
    closed = _close(week, now, without=failing_cars(special_stage=stage, now=now))
    if retired and not closed:
        _notify_late(week)
    return closed


@transaction.atomic
def _close(week: Week, now: datetime, *, without: Collection[int]) -> bool:
    """Close one stage and notify its drivers. Returns whether this call closed it: of two workers at the same time,
    only one closes it and sends the notices.
    """
    if not close_for_everybody(rally=week.rally, now=now, without=without):
        return False
    notify_places(week)
    return True


@transaction.atomic
def _notify_late(week: Week) -> None:
    """Notify the drivers of a closed stage whose cars could be retired only now. Nobody gets the notice twice."""
    if week.rally.stages.get(number=1).status == SpecialStage.Status.DONE:
        notify_places(week)


@transaction.atomic
def drive(*, by: User) -> Run:
    """Enter the person in this week's stage, and return their run. A person who has already begun it gets the same run
    again: there is one attempt for each person.

    Raises: Refused when no stage is open, and when enter_for_everybody refuses.
    """
    week = current_week(now=clock.now())
    if week is None:
        raise Refused(_("No open stage accepts drivers now."))
    rally = Rally.objects.select_for_update(of=("self",)).get(pk=week.rally_id)
    return open_own_run(entry=enter_for_everybody(by=by, rally=rally))


def drive_out_of_competition(*, by: User, restart: bool = False) -> Run:
    """Return the run in which a guest drives this week's stage out of competition. It has no place in the table, then
    or later: the person may still have their one attempt once they have an account.

    Raises: Refused when no stage is open, and when begin_out_of_competition refuses.
    Raises: OtherUnderWay when the guest has another stage under way, without `restart`.
    """
    week = current_week(now=clock.now())
    if week is None:
        raise Refused(_("No open stage accepts drivers now."))
    return begin_out_of_competition(by=by, open_stage=week.rally, restart=restart)
