"""Hand a car to the codriver for one turn, for the rest of a stage or for good, and take it back: for its driver, and
for organisers.
"""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies import services as rallies
from championship.rallies.models import Entry
from championship.runs.models import Run, Seat
from championship.runs.play.advancing_run import locked_run
from championship.runs.play.handing_over import give_wheel_back, hand_over_wheel, seat_in
from championship.runs.play.missed_deadlines import take_wheel
from championship.runs.play.organisers_and_wheels import organisers_act

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
