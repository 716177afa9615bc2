"""Replace a driver during a rally, in the rally and in the car's running run at the same time."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.deadlines.lifecycle import TIMING_FIELDS, leave, take_over
from championship.platform import clock
from championship.platform.refusals import Stale
from championship.rallies import services as rallies
from championship.rallies.models import CrewChange, Entry
from championship.runs.models import Draft, Run
from championship.runs.play.orders_ahead import withdraw_waiting_orders
from championship.runs.play.turn_notices import drop_waiting_notices, notify_driver
from championship.runs.watch.waiting_turns import is_waited_for


@transaction.atomic
def replace_driver(*, by: User, entry: Entry, driver: User, instead_of: int, crew: str, reason: str) -> Entry:
    """Give the entry's car to another member from now on. In a running run, the new driver gets the open turn with the
    full time, plus the time that organisers had added. Somebody who has had this turn before gets what was left then.
    Doing it twice has the same effect as once.

    Orders ahead and drafts of the earlier driver are neither played nor shown to anybody.

    Raises: as the rally's service of that name; also Stale when a stage opens at the same moment.
    """
    now, runs = clock.now(), _runs_of(entry)
    locked = list(runs.select_for_update(of=("self",)).select_related("special_stage__rally").order_by("pk"))
    change = rallies.replace_driver(by=by, entry=entry, driver=driver, instead_of=instead_of, crew=crew, reason=reason)
    if change is not None:
        if runs.exclude(pk__in=[run.pk for run in locked]).exists():
            raise Stale(_("The next one has just opened. Look again."))
        for run in locked:
            _take_over(run, change, now=now)
    return Entry.objects.select_related("driver").get(pk=entry.pk)


def _runs_of(entry: Entry) -> QuerySet[Run]:
    return Run.objects.filter(seats__entry=entry, status=Run.Status.RUNNING)


def _take_over(run: Run, change: CrewChange, *, now: datetime) -> None:
    """Give the seat to the new driver. The run row must be locked, and the entry must have its new driver."""
    seat = run.seats.select_related("entry__driver").get(entry=change.entry)
    seat.run, driver, before = run, seat.entry.driver, change.before
    assert before is not None  # in a replacement both are people
    Draft.objects.filter(run=run, person=before).delete()
    withdraw_waiting_orders(seat, now=now)
    seat.codriver_since, seat.handed_over, seat.taken_back_at = None, "", None
    seat.save(update_fields=["codriver_since", "handed_over", "taken_back_at"])
    for turn in run.turns.filter(ended_at=None, seat=seat).select_for_update():
        turn.run, turn.seat = run, seat
        drop_waiting_notices(turn)
        seat.entry.driver = before
        leave(turn, now=now)
        seat.entry.driver = driver
        take_over(turn, now=now)
        if turn.deadline <= now:  # nothing was left: the codriver drives, and no miss is counted
            turn.stands_in = True
        turn.nudged_at = None
        turn.save(update_fields=[*TIMING_FIELDS, "nudged_at"])
        if is_waited_for(turn):
            notify_driver(turn, "turn waits")
