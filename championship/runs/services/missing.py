"""A deadline was missed: what the rally's rules have the clock do, and the driver's way back to the wheel."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from championship import clock
from championship.accounts.models import User
from championship.audit import services as audit
from championship.rallies.crews import REPLACED
from championship.rallies.models import CrewChange, Rally
from championship.rallies.services import penalise_miss
from championship.refusals import Forbidden, Refused, Stale
from championship.runs.models import Run, Turn
from championship.runs.services.ahead import drive_on
from championship.runs.services.playing import drive_for
from championship.runs.services.posting import carry_out, locked_run
from championship.runs.services.timing import TIMED, begin, take_back_until
from championship.runs.services.waiting import call_codriver, tell, withdraw_told

RETIRE = {"do": "retire"}


def miss(run: Run, turn: Turn, *, now: datetime) -> None:
    """Do what the rally's rules say about a missed deadline, and tell the driver. The run row is locked.

    The penalty comes first, so that it counts where this turn ends the stage.
    """
    rally, place = run.special_stage.rally, turn.place
    turn.missed, turn.done = True, _what_to_do(rally, turn)
    if turn.done == Turn.Done.RETIRED:
        carry_out(run, place, RETIRE, by=None, key="", now=now)
        drive_on(run, now=now)
    else:
        if turn.done == Turn.Done.PENALISED:
            penalise_miss(
                special_stage=run.special_stage, entry=place.entry, seconds=rally.miss_seconds, turn=turn.number
            )
        if rally.after_miss == Rally.AfterMiss.STAGE or rally.pace == Rally.Pace.CLOSING:
            place.codriver_since = now
            place.save(update_fields=["codriver_since"])
        drive_for(run, turn, now=now)
    Turn.objects.filter(pk=turn.pk).update(missed=True, done=turn.done)
    tell(
        turn,
        "turn driven for you",
        done=turn.done,
        seconds=rally.miss_seconds,
        take_back_until=take_back_until(place),
    )


def stand_in(run: Run, turn: Turn, *, now: datetime) -> None:
    """The codriver makes a turn while the driver is on holiday: nobody has missed anything. The run row is locked."""
    drive_for(run, turn, now=now)
    Turn.objects.filter(pk=turn.pk).update(done=Turn.Done.STOOD_IN)
    tell(turn, "turn driven for you", done=Turn.Done.STOOD_IN, seconds=0, take_back_until=None)


def _what_to_do(rally: Rally, turn: Turn) -> str:
    """Retirement after so many misses, counted anew after each and for who took the car over; never at the first."""
    if rally.retire_after > 1:
        missed = Turn.objects.filter(place__entry=turn.place.entry_id, missed=True)
        replaced = CrewChange.objects.filter(REPLACED, entry=turn.place.entry_id).aggregate(last=Max("at"))["last"]
        if replaced is not None:
            missed = missed.filter(ended_at__gt=replaced)
        retired = missed.filter(done=Turn.Done.RETIRED).order_by("-pk").values_list("pk", flat=True).first()
        if missed.filter(pk__gt=retired or 0).count() + 1 >= rally.retire_after:
            return Turn.Done.RETIRED
    return Turn.Done.PENALISED if rally.miss_seconds else Turn.Done.DRIVEN


@transaction.atomic
def take_wheel(*, by: User, run: Run) -> Run:
    """The driver takes the rest of the stage back from the codriver, who has had the wheel since a missed deadline.

    Forbidden for who does not drive here, Stale when they have the wheel or the stage is over, Refused when the
    time for it is over. A turn that waits has all its time again.
    """
    run = locked_run(run.pk)
    place = run.places.select_related("entry__driver").filter(entry__driver=by).first()
    if place is None:
        raise Forbidden(_("You do not drive in this run."), rule="O1")
    if run.status != Run.Status.RUNNING:
        raise Stale(_("This stage is over."))
    if place.codriver_since is None:
        raise Stale(_("You have the wheel."))
    now, until = clock.now(), take_back_until(place)
    if until is None or until <= now:
        raise Refused(_over(until))
    place.codriver_since = None
    place.save(update_fields=["codriver_since"])
    for turn in run.turns.filter(ended_at=None, place=place).select_for_update():
        turn.run, turn.place = run, place
        withdraw_told(turn)
        begin(turn, now=now)
        turn.save(update_fields=TIMED)
        tell(turn, "turn waits")
    rally = run.special_stage.rally
    details = {"rally": rally.name, "stage": run.special_stage.number, "crew": place.entry.crew}
    audit.record(actor=by, action="wheel taken back", subject=place.entry, club_id=rally.club_id, details=details)
    call_codriver(run, now=now)
    return run


def _over(until: datetime | None) -> str:
    if until is None:
        return str(_("The codriver brings the car to the end of this stage."))
    said = date_format(timezone.localtime(until), "DATETIME_FORMAT")
    return _("The wheel could be taken back until %(when)s. The codriver brings the car to the end of this stage.") % {
        "when": said
    }
