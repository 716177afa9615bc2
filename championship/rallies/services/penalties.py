"""Penalties that officials give, and bonuses."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.rallies.models import CrewChange, Entry, Penalty, Rally, SpecialStage
from championship.rallies.services.locks import locked_rally
from championship.rallies.services.wording import checked_line
from championship.refusals import Forbidden, Refused

MOST_SECONDS = 3600


@transaction.atomic
def give_penalty(
    *, by: User, entry: Entry, seconds: int, reason: str, special_stage: SpecialStage | None = None
) -> Penalty:
    """Seconds on top of an entry's total, or of its time on one stage; fewer than none are a bonus.

    Only organisers and stewards, for a confirmed entry of a rally that has started. Counts for the starting
    order of stages whose start list is not written yet. Forbidden in one's own cause; Refused for no seconds, more than
    an hour, or no reason.
    """
    rally = locked_rally(entry.rally_id)
    require_role(by, rally.club, Role.ORGANISER, Role.STEWARD)
    reason = checked_line(reason, longest=200, field="reason")
    if rally.status not in (Rally.Status.RUNNING, Rally.Status.FINISHED):
        raise Refused(_("Penalties are given once the rally has started."))
    if entry.status != Entry.Status.CONFIRMED:
        raise Refused(_("This entry does not take part."), field="entry")
    require_no_own_cause(by, [entry])
    if seconds == 0 or abs(seconds) > MOST_SECONDS:
        raise Refused(_("Give between 1 and 3600 seconds; below zero for a bonus."), field="seconds")
    if special_stage is not None and special_stage.rally_id != rally.pk:
        raise Refused(_("Choose a stage of this rally."), field="special_stage")
    penalty = Penalty.objects.create(
        rally=rally, entry=entry, special_stage=special_stage, seconds=seconds, reason=reason, given_by=by
    )
    audit.record(
        actor=by,
        action="penalty given",
        subject=entry,
        club_id=rally.club_id,
        details={
            "rally": rally.name,
            "entry": str(entry),
            "stage": special_stage.number if special_stage else None,
            "seconds": seconds,
            "reason": reason,
        },
    )
    return penalty


def require_no_own_cause(by: User, entries: Sequence[Entry]) -> None:
    """Forbidden for who drives one of these cars, or did before another took it over. The rally is locked."""
    drives = Entry.objects.filter(pk__in=[entry.pk for entry in entries], driver=by)
    if drives.exists() or CrewChange.objects.filter(entry__in=entries, before=by).exists():
        raise Forbidden(_("Nobody judges in their own cause: another steward must take this decision."))
