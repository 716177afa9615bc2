"""Public consequences of a missed deadline, applied when everybody may know that the turn was made, and not before."""

from __future__ import annotations

from collections.abc import Sequence

from championship.audit import services as audit
from championship.rallies.services import penalise_miss
from championship.runs.models import Seat, Turn
from championship.runs.play.advancing_run import AdvancingRun
from championship.runs.play.organisers_and_wheels import log_waiting_acts
from championship.runs.watch import watching


def reveal(runs: Sequence[AdvancingRun]) -> None:
    """Give the penalties that are owed in these runs, and log which drivers have taken the wheel back and what
    organisers did about it, as far as everybody may know of it. Posts and events must be written and the runs locked:
    rallies are locked after runs.
    """
    for each in runs:
        unknown = {} if each.over else dict(watching.secret_misses(each.run).values_list("pk", "seat_id"))
        owed = Turn.objects.filter(run=each.run, owed__isnull=False).exclude(pk__in=unknown).order_by("number")
        for turn in list(owed):
            assert turn.owed is not None
            entry = next(seat.entry for seat in each.seats.values() if seat.pk == turn.seat_id)
            stage = each.run.special_stage
            penalise_miss(special_stage=stage, entry=entry, amount=turn.owed, turn=turn.number)
            Turn.objects.filter(pk=turn.pk).update(owed=None)
        for seat in each.seats.values():
            if seat.taken_back_at is not None and seat.pk not in unknown.values():
                log_wheel_taken_back(seat)
                Seat.objects.filter(pk=seat.pk).update(taken_back_at=None)
        log_waiting_acts(seat for seat in each.seats.values() if seat.unlogged and _is_known(seat, each))


def _is_known(seat: Seat, advancing: AdvancingRun) -> bool:
    """Return whether everybody may know what organisers did about single turns of this car: a phase has closed since,
    and the turn was made in it or before. The codriver plays one turn of a run at a time, so the phase that closes now
    is not followed by another turn of this car already.
    """
    return advancing.over or (advancing.changes.phase_closed and seat.handed_over != Seat.HandedOver.TURN)


def log_wheel_taken_back(seat: Seat) -> None:
    """Add to the audit log that the driver took the rest of the stage back from the codriver."""
    stage = seat.run.special_stage
    audit.record(
        actor=seat.entry.driver,
        action="wheel taken back",
        subject=seat.entry,
        club_id=stage.rally.club_id,
        details={"rally": stage.rally.name, "stage": stage.number, "crew": seat.entry.crew},
    )
