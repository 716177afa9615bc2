"""Penalties and bonuses that officials give and withdraw."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.services import require_role
from championship.notices import services as notices
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.entries.impartiality import PENALISERS, require_impartial
from championship.rallies.locks import locked_rally
from championship.rallies.models import Entry, Penalty, PenaltyWithdrawal, Rally, SpecialStage
from championship.rallies.results import measures
from championship.rallies.text_checks import checked_line
from engine.contract import Measure

DOUBLE_PRESS_WINDOW = timedelta(minutes=1)
"""A second equal penalty by the same official within this time is a repeated press of the button."""


@transaction.atomic
def give_penalty(
    *,
    by: User,
    entry: Entry,
    amount: int,
    reason: str,
    special_stage: SpecialStage | None = None,
    seen: int | None = None,
) -> Penalty:
    """Give an entry a penalty on its total, or on its result on one stage. The driver is notified.

    `amount` is in the rally's unit; a negative amount is a bonus. Only for impartial organisers and stewards, for a
    confirmed entry of a rally that has started. The penalty counts for the starting order of stages whose start list is
    not written yet. The same penalty by the same official within DOUBLE_PRESS_WINDOW returns the first one. `seen`: the
    id of the last penalty that the official saw.

    Raises: Stale when somebody has given this entry a penalty after `seen`.
    Raises: Forbidden when `by` has no such role, is not impartial or drives this car.
    Raises: Refused when the amount is 0 or more than MOST_GIVEN, or when there is no reason.
    """
    rally = locked_rally(entry.rally_id)
    require_role(by, rally.club, *PENALISERS)
    reason = checked_line(reason, longest=200, field="reason")
    if rally.status not in (Rally.Status.RUNNING, Rally.Status.FINISHED):
        raise Refused(_("You can give penalties only after the start."))
    if entry.status != Entry.Status.CONFIRMED:
        raise Refused(_("This entry does not take part."), field="entry")
    author_drives = require_impartial(by, rally, PENALISERS, concerned=[entry])
    required_amount(amount, rally.measure)
    if special_stage is not None and special_stage.rally_id != rally.pk:
        raise Refused(str(rally.words.no_part), field="special_stage")
    given = Penalty.objects.filter(entry=entry, given_by__isnull=False, lifted_at=None)
    same = given.filter(special_stage=special_stage, amount=amount, reason=reason, given_by=by)
    repeated = same.filter(at__gt=clock.now() - DOUBLE_PRESS_WINDOW).first()
    if repeated is not None:
        return repeated
    if seen is not None and given.filter(pk__gt=seen).exists():
        raise Stale(
            _("Somebody has given this entry a penalty or bonus meanwhile: see below. Press again to add yours.")
        )
    penalty = Penalty.objects.create(
        rally=rally,
        entry=entry,
        special_stage=special_stage,
        amount=amount,
        reason=reason,
        given_by=by,
        author_drives=author_drives,
    )
    _record(by, "penalty given", penalty, reason, author_drives=author_drives)
    _notify_driver("penalty given", penalty, reason, author_drives=author_drives)
    return penalty


@transaction.atomic
def withdraw_penalty(*, by: User, penalty: Penalty, reason: str) -> PenaltyWithdrawal:
    """Withdraw a penalty or a bonus: it does not count any more, but pages still show it, with the reason. The driver
    is notified.

    Only for impartial organisers and stewards. It may be a penalty that an official gave, or an automatic one for a
    missed deadline. The same call by the same official returns the first withdrawal.

    Raises: Stale when the penalty is withdrawn already.
    Raises: Forbidden when `by` has no such role, is not impartial or drives this car.
    Raises: Refused when there is no reason, or when the penalty is a stewards' decision: only another decision undoes
    it.
    """
    rally = locked_rally(penalty.rally_id)
    require_role(by, rally.club, *PENALISERS)
    reason = checked_line(reason, longest=200, field="reason")
    penalty = Penalty.objects.select_related("entry__driver", "special_stage", "rally").get(pk=penalty.pk)
    decision = getattr(penalty, "decision", None)
    if decision is not None:
        raise Refused(only_by_decision(decision.number))
    author_drives = require_impartial(by, rally, PENALISERS, concerned=[penalty.entry])
    before = PenaltyWithdrawal.objects.filter(penalty=penalty).first()
    if before is not None:
        if before.by_id == by.pk and before.reason == reason:
            return before
        raise Stale(_("This was withdrawn already."))
    now = clock.now()
    withdrawal = PenaltyWithdrawal.objects.create(
        penalty=penalty, reason=reason, by=by, at=now, author_drives=author_drives
    )
    _lift(penalty, now)
    _record(by, "penalty withdrawn", penalty, reason, author_drives=author_drives)
    _notify_driver("penalty withdrawn", penalty, reason, author_drives=author_drives)
    return withdrawal


def required_amount(amount: int | None, measure: Measure) -> int:
    """The amount of a penalty or a bonus, checked.

    Raises: Refused when it is 0, None or more than MOST_GIVEN; it names the field.
    """
    if not amount or abs(amount) > measures.MOST_GIVEN:
        most = {"most": measures.amount(measures.MOST_GIVEN, measure)}
        raise Refused(_("Give between 1 and %(most)s; below zero for a bonus.") % most, field="amount")
    return amount


def only_by_decision(number: int) -> str:
    """The text that says why a stewards' decision cannot be withdrawn at the desk."""
    return _("This is the stewards' decision %(number)d: only another decision undoes it.") % {"number": number}


def _lift(penalty: Penalty, now: datetime) -> None:
    penalty.lifted_at = now
    penalty.save(update_fields=["lifted_at"])


def _record(by: User, action: str, penalty: Penalty, reason: str, *, author_drives: bool) -> None:
    details = {
        "rally": penalty.rally.name,
        "entry": str(penalty.entry),
        "stage": penalty.special_stage.number if penalty.special_stage else None,
        penalty.rally.unit: penalty.amount,
        "reason": reason,
    }
    if author_drives:
        details["author_drives"] = True
    club_id = penalty.rally.club_id
    audit.record(actor=by, action=action, subject=penalty.entry, club_id=club_id, details=details)


def _notify_driver(kind: str, penalty: Penalty, reason: str, *, author_drives: bool) -> None:
    """Notify the driver of the car."""
    rally = penalty.rally
    notices.enqueue(
        recipient=penalty.entry.driver,
        kind=kind,
        subject_key=f"penalty {penalty.pk}",
        context={
            "rally": rally.name,
            "game": rally.game,
            "stage": penalty.special_stage.number if penalty.special_stage else None,
            "amount": penalty.amount,
            "measure": measures.plain(rally.measure),
            "reason": reason,
            "author_drives": author_drives,
        },
        link=reverse("rallies:sheet", args=[rally.key]),
        thread=f"rally {rally.key}",
    )
