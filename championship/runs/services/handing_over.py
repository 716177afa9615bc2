"""Hand the wheel to the codriver for one turn or for the rest of a stage, and take it back. In the rally the driver
drives on: the card of time control stays with them.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from championship import clock
from championship.accounts.models import User
from championship.deadlines.lifecycle import TIMING_FIELDS, hand_back, hand_over
from championship.rallies import services as rallies
from championship.rallies.models import Entry
from championship.refusals import Forbidden, Refused, Stale
from championship.runs.models import Run, Seat, Turn
from championship.runs.services.advancing_run import locked_run
from championship.runs.services.awaited_turns import (
    call_codriver,
    drop_waiting_notices,
    is_waited_for,
    notify_driver,
)
from engine import registry

HandedOver = Seat.HandedOver


@transaction.atomic
def hand_over_wheel(*, by: User, run: Run, how_long: str, turns_made: int, manner: str = "") -> Run:
    """Let the codriver drive the person's car: one turn ("turn") or until the stage is over ("stage"). It is the
    present turn, or the next one when it is not their turn. It counts as no missed deadline and costs nothing.

    `turns_made`: how many turns the car had made when the person asked, so that a form that is sent twice hands over
    one turn. The same again changes nothing.

    Raises: Forbidden when the person does not drive in the run.
    Raises: Stale when the stage is over, the car has made another turn, or the codriver has the wheel already.
    Raises: Refused for an unknown value; it names the field.
    """
    run = locked_run(run.pk)
    seat = _seat_of(run, by)
    rally = run.special_stage.rally
    if how_long not in HandedOver.values:
        raise Refused(_("Choose for how long the codriver drives."), field="how_long")
    if rally.for_everybody or rally.practice:
        raise Refused(_("On this stage every driver drives alone."))
    if run.status != Run.Status.RUNNING:
        raise Stale(str(rally.words.over))
    if seat.handed_over == how_long or _was_driven(seat, turns_made):
        return run
    made = registry.get(run.game).turns_made(run.state, seat.driver)
    if how_long == HandedOver.TURN and turns_made != made:
        raise Stale(_("Your car has driven on meanwhile. Look again."))
    if seat.entry.driven_by != Entry.DrivenBy.PERSON or (seat.codriver_since and not seat.handed_over):
        raise Stale(_("The codriver has the wheel already."))
    now, before = clock.now(), seat.handed_over
    rallies.choose_manner(entry=seat.entry, manner=manner)
    seat.codriver_since, seat.handed_over = now, how_long
    seat.save(update_fields=["codriver_since", "handed_over"])
    _note(seat, by=by, before=before)
    for turn in _open_turns(seat):
        drop_waiting_notices(turn)
        hand_over(turn, now=now)
        turn.save(update_fields=TIMING_FIELDS)
    call_codriver(run, now=now)
    return run


def give_wheel_back(seat: Seat, *, by: User, now: datetime) -> None:
    """Give the wheel back to the driver who has handed it over. A turn that waits has the time that was left. The run
    is locked.
    """
    before, seat.codriver_since, seat.handed_over = seat.handed_over, None, ""
    seat.save(update_fields=["codriver_since", "handed_over"])
    _note(seat, by=by, before=before)
    for turn in _open_turns(seat):
        if hand_back(turn, now=now):
            turn.save(update_fields=TIMING_FIELDS)
            if is_waited_for(turn) and turn.deadline > now:
                notify_driver(turn, "turn waits")


def _seat_of(run: Run, person: User) -> Seat:
    """Return the person's seat in a locked run.

    Raises: Forbidden when there is none.
    """
    seat = run.seats.select_related("entry__driver", "entry__rally").filter(entry__driver=person).first()
    if seat is None:
        raise Forbidden(_("You do not drive in this run."), rule="O1")
    seat.run = run
    return seat


def _was_driven(seat: Seat, turns_made: int) -> bool:
    """Return whether the codriver has driven that turn of the car because its driver had handed it over."""
    return seat.turns.filter(made_before=turns_made, done=Turn.Done.HANDED_OVER).exists()


def _open_turns(seat: Seat) -> list[Turn]:
    turns = list(seat.turns.filter(ended_at=None).select_for_update(of=("self",)))
    for turn in turns:
        turn.run, turn.seat = seat.run, seat
    return turns


def _note(seat: Seat, *, by: User, before: str) -> None:
    """Record the hand-over of a stage in the rally, where everybody may know it. Nobody else learns of a single
    turn.
    """
    if HandedOver.STAGE in (before, seat.handed_over) and before != seat.handed_over:
        rallies.record_stage_handed_over(
            by=by, entry=seat.entry, special_stage=seat.run.special_stage, back=before == HandedOver.STAGE
        )
