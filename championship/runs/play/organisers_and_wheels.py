"""What an organiser may do about the wheel of a car in a run, and how the club's log tells of it.

Every member reads the log. That a car is handed over for one turn is no secret in a run where everybody sees who has
moved. In a run that may hide turns it is one, since the codriver drives at once: there the act waits (`Seat.unlogged`)
until a phase has closed in which the turn was made, or until the run is over.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.platform.refusals import Forbidden
from championship.rallies import services as rallies
from championship.runs.models import Run, Seat
from championship.runs.watch import watching


class DrivesInRun(Forbidden):
    """The organiser drives in the run, and its turns are hidden: another organiser may do this."""


@dataclass(frozen=True, slots=True)
class Act:
    """A change of who has the wheel. `reason`: an organiser's. `openly`: details of the log that mark an organiser who
    drives in the rally.
    """

    by: User
    by_organiser: bool = False
    reason: str = ""
    openly: dict[str, bool] | None = None


def organisers_act(by: User, seat: Seat, reason: str = "") -> Act:
    """Return the act of an organiser on somebody else's seat, whose run is locked. It locks the rally.

    Raises: Http404 when `by` is no member of the club.
    Raises: Forbidden when `by` is no organiser, or drives in the rally and the club has an organiser who does not.
    Raises: DrivesInRun when `by` drives in a run in which something may be hidden.
    Raises: Refused for a reason that is too long; it names the field.
    """
    reason, openly = rallies.require_may_hand_over(by=by, entry=seat.entry, reason=reason)
    require_no_seat_in_hidden_run(seat.run, by, seat)
    return Act(by, by_organiser=True, reason=reason, openly=openly)


def require_no_seat_in_hidden_run(run: Run, by: User, seat: Seat) -> None:
    """Check that an organiser does not drive in a run in which something may be hidden, except for their own seat.

    Raises: DrivesInRun when they do: the answer would show who has moved.
    """
    if watching.may_hide(run) and seat.entry.driver_id != by.pk and run.seats.filter(entry__driver=by).exists():
        raise DrivesInRun(_("You drive in this run: while its turns are hidden, another organiser must do this."))


def log_turn_handed_over(seat: Seat, act: Act, *, back: bool) -> None:
    """Log that an organiser has handed the car over for one turn, or has taken it back before that turn was made:
    `back`. The run is locked.
    """
    stage, entry = seat.run.special_stage, seat.entry
    details = {"rally": stage.rally.name, "stage": stage.number, "crew": entry.crew, "start_number": entry.start_number}
    details |= {"driven_by": "person" if back else "codriver", "how_long": Seat.HandedOver.TURN.value}
    details |= {**({"reason": act.reason} if act.reason else {}), **(act.openly or {})}
    if watching.may_hide(seat.run):
        seat.unlogged = [*(seat.unlogged or ()), {"actor": act.by.pk, "details": details}]
        seat.save(update_fields=["unlogged"])
    else:
        _log(act.by, seat, details)


def log_waiting_acts(seats: Iterable[Seat]) -> None:
    """Log the acts of organisers on these seats that waited until everybody may know of them."""
    for seat in seats:
        acts: list[dict[str, Any]] = seat.unlogged or []
        people = User.objects.in_bulk([act["actor"] for act in acts])
        with audit.by_token(""):  # the program that closes the phase is not theirs
            for act in acts:
                _log(people.get(act["actor"]), seat, act["details"])
        seat.unlogged = None
        seat.save(update_fields=["unlogged"])


def _log(by: User | None, seat: Seat, details: dict[str, Any]) -> None:
    """Log a hand-over under the same act as one for good."""
    club_id = seat.run.special_stage.rally.club_id
    audit.record(actor=by, action="entry driven by", subject=seat.entry, club_id=club_id, details=details)
