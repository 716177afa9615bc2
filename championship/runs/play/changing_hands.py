"""Hand a car to the codriver for one turn, for the rest of a stage or for good, and take it back: for its driver, and
for organisers. Replace its driver during a rally, in the rally and in the running run at the same time.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.deadlines.lifecycle import TIMING_FIELDS, leave, take_over
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies import services as rallies
from championship.rallies.models import CrewChange, Entry
from championship.runs.models import Draft, Run, Seat
from championship.runs.play.advancing_run import locked_run
from championship.runs.play.handing_over import give_wheel_back, hand_over_wheel, seat_in
from championship.runs.play.missed_deadlines import take_wheel
from championship.runs.play.orders_ahead import withdraw_waiting_orders
from championship.runs.play.organisers_and_wheels import organisers_act
from championship.runs.play.turn_notices import drop_waiting_notices, notify_driver
from championship.runs.watch.waiting_turns import is_waited_for

FOR_GOOD = "rally"
"""The length of time beside those of a seat: until somebody takes the car back."""


@transaction.atomic
def hand_car_over(
    *, by: User, entry: Entry, how_long: str, turns_made: int, manner: str = "", reason: str = ""
) -> Run | None:
    """Let the codriver drive a car: one turn, until the stage is over, or for good. The driver may call this, and so
    may organisers, with a reason for the log; during the rally only organisers who are impartial. The same again
    changes nothing. Returns the run in which the car is, None where it is in none.

    `turns_made`: as in `hand_over_wheel`; it counts for a turn only.

    Raises: as `set_driven_by` for good, as `hand_over_wheel` for less; Stale also when the car is not on the road.
    """
    run = _run_of(entry)
    if how_long == FOR_GOOD:
        codriver = Entry.DrivenBy.CODRIVER
        rallies.set_driven_by(by=by, entry=entry, driven_by=codriver, manner=manner, reason=reason)
        return run
    if how_long not in Seat.HandedOver.values:
        raise Refused(_("Choose for how long the codriver drives."), field="how_long")
    if run is None:
        if entry.driver_id == by.pk:
            raise Stale(_("Your car is not on the road now. Look again."))
        rallies.require_may_hand_over(by=by, entry=entry, reason=reason)
        raise Stale(_("This car is not on the road now: it can be handed over for good only."))
    return hand_over_wheel(
        by=by, run=run, how_long=how_long, turns_made=turns_made, manner=manner, entry=entry, reason=reason
    )


@transaction.atomic
def take_car_back(*, by: User, entry: Entry) -> None:
    """Give a car back to its driver, for however long it was handed over, or, for its driver, after a missed deadline.
    Its driver may call this, and organisers as in `hand_car_over`.

    Raises: as `set_driven_by`, `take_wheel` and `hand_over_wheel`; Stale when the driver has the wheel already.
    """
    entry = Entry.objects.select_related("driver").get(pk=entry.pk)
    own, run = entry.driver_id == by.pk, _run_of(entry)
    if entry.driven_by != Entry.DrivenBy.PERSON:
        rallies.set_driven_by(by=by, entry=entry, driven_by=Entry.DrivenBy.PERSON)
    elif run is None:
        if own:
            raise Stale(_("You have the wheel."))
        rallies.require_may_hand_over(by=by, entry=entry, reason="")
        raise Stale(_("The driver has the wheel."))
    elif own:
        take_wheel(by=by, run=run)
    else:
        _give_back_to_driver(by=by, run=run, entry=entry)


def _give_back_to_driver(*, by: User, run: Run, entry: Entry) -> None:
    run = locked_run(run.pk)
    seat = seat_in(run, by=by, entry=entry)
    act = organisers_act(by, seat)
    if run.status != Run.Status.RUNNING:
        raise Stale(str(run.special_stage.rally.words.over))
    if seat.codriver_since is None:
        raise Stale(_("The driver has the wheel."))
    if not seat.handed_over:
        raise Refused(_("The codriver has had the wheel since a missed deadline: only the driver can take it back."))
    give_wheel_back(seat, act, now=clock.now())


def _run_of(entry: Entry) -> Run | None:
    """Return the run in which the car is on the road, with its stage; None when it is in none."""
    return Run.objects.filter(seats__entry=entry, status=Run.Status.RUNNING).select_related("special_stage").first()


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
