"""Hand the wheel to the codriver for one turn or for the rest of a stage, and give it back. In the rally the driver
drives on: the card of time control stays with them. `changing_hands.py` has the services for every length of time.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.deadlines.lifecycle import TIMING_FIELDS, begin, hand_back, hand_over
from championship.platform import clock
from championship.platform.refusals import Forbidden, Refused, Stale
from championship.rallies import services as rallies
from championship.rallies.models import Entry
from championship.runs.models import Run, Seat, Turn
from championship.runs.play.advancing_run import locked_run
from championship.runs.play.organisers_and_wheels import Act, log_turn_handed_over, organisers_act
from championship.runs.play.turn_notices import call_codriver, drop_waiting_notices, notify_driver
from championship.runs.watch.waiting_turns import is_waited_for
from engine import registry

HandedOver = Seat.HandedOver


@transaction.atomic
def hand_over_wheel(
    *,
    by: User,
    run: Run,
    how_long: str,
    turns_made: int,
    manner: str = "",
    entry: Entry | None = None,
    reason: str = "",
) -> Run:
    """Let the codriver drive the person's car: one turn ("turn") or until the stage is over ("stage"). It is the
    present turn, or the next one when it is not their turn. It counts as no missed deadline and costs nothing.

    `turns_made`: how many turns the car had made when the person asked, so that a form that is sent twice hands over
    one turn. The same again changes nothing. `manner`: the codriver who drives, the stand-in from now on; "" for the
    present stand-in. `entry`: another driver's car, which an organiser hands over, with a
    `reason` for the log.

    Raises: Forbidden when the person does not drive in the run, or as `organisers_act`.
    Raises: Stale when the stage is over, the car has made another turn, or the codriver has the wheel already.
    Raises: Refused for an unknown value; it names the field.
    """
    run = locked_run(run.pk)
    seat = seat_in(run, by=by, entry=entry)
    act = organisers_act(by, seat, reason) if seat.entry.driver_id != by.pk else Act(by)
    rally = run.special_stage.rally
    if how_long not in HandedOver.values:
        raise Refused(_("Choose for how long the codriver drives."), field="how_long")
    if rally.for_everybody or rally.practice:
        raise Refused(_("On this stage every driver drives alone."))
    if run.status != Run.Status.RUNNING:
        raise Stale(str(rally.words.over))
    if seat.handed_over == how_long or _was_driven(seat, turns_made):
        return run
    made = registry.get(run.game).turns_made(run.state, seat.name)
    if how_long == HandedOver.TURN and turns_made != made:
        if act.by_organiser:
            raise Stale(_("This car has driven on meanwhile. Look again."))
        raise Stale(_("Your car has driven on meanwhile. Look again."))
    if seat.entry.driven_by != Entry.DrivenBy.PERSON or (seat.codriver_since and not seat.handed_over):
        raise Stale(_("The codriver has the wheel already."))
    now, before = clock.now(), seat.handed_over
    if manner:
        rallies.choose_manner(entry=seat.entry, manner=manner)
    seat.codriver_since, seat.handed_over, seat.by_organiser = now, how_long, act.by_organiser
    seat.save(update_fields=["codriver_since", "handed_over", "by_organiser"])
    _note(seat, act, before=before)
    for turn in _open_turns(seat):
        drop_waiting_notices(turn)
        hand_over(turn, now=now)
        turn.save(update_fields=TIMING_FIELDS)
    call_codriver(run, now=now)
    return run


def give_wheel_back(seat: Seat, act: Act, *, now: datetime) -> None:
    """Give the wheel back to the driver of a car that was handed over. A turn that waits has the time that was left, or
    all its time again when an organiser gives it back. The run is locked.
    """
    before, seat.codriver_since, seat.handed_over = seat.handed_over, None, ""
    seat.save(update_fields=["codriver_since", "handed_over"])
    _note(seat, act, before=before)
    for turn in _open_turns(seat):
        if act.by_organiser:
            drop_waiting_notices(turn)
            begin(turn, now=now)
        elif not hand_back(turn, now=now):
            continue
        turn.save(update_fields=TIMING_FIELDS)
        if is_waited_for(turn) and turn.deadline > now:
            notify_driver(turn, "turn waits")


def seat_in(run: Run, *, by: User, entry: Entry | None) -> Seat:
    """Return the seat of an entry in a locked run; by default that of the person.

    Raises: Forbidden when there is none.
    """
    seats = run.seats.select_related("entry__driver", "entry__rally")
    seat = (seats.filter(entry__driver=by) if entry is None else seats.filter(entry=entry)).first()
    if seat is None:
        raise Forbidden(_("You do not drive in this run."), rule="O1", game=run.game)
    seat.run = run
    return seat


def _was_driven(seat: Seat, turns_made: int) -> bool:
    """Return whether the codriver has driven that turn of the car because it was handed over."""
    handed = (Turn.Done.HANDED_OVER, Turn.Done.GIVEN)
    return seat.turns.filter(made_before=turns_made, done__in=handed).exists()


def _open_turns(seat: Seat) -> list[Turn]:
    turns = list(seat.turns.filter(ended_at=None).select_for_update(of=("self",)))
    for turn in turns:
        turn.run, turn.seat = seat.run, seat
    return turns


def _note(seat: Seat, act: Act, *, before: str) -> None:
    """Record the hand-over of a stage in the rally, where everybody may know it. Nobody else learns that a driver has
    handed over a single turn; the log tells what an organiser did.
    """
    after = seat.handed_over
    if HandedOver.STAGE in (before, after) and before != after:
        rallies.record_stage_handed_over(
            by=act.by,
            entry=seat.entry,
            special_stage=seat.run.special_stage,
            back=before == HandedOver.STAGE,
            reason=act.reason,
            author_details=act.openly,
        )
    if act.by_organiser and (after == HandedOver.TURN or (before, after) == (HandedOver.TURN, "")):
        log_turn_handed_over(seat, act, back=not after)
