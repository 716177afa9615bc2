"""A rally is called off: whatever is on the road stops there."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from championship import clock
from championship.accounts.models import User
from championship.rallies import services as rallies
from championship.rallies.models import Rally
from championship.refusals import Stale
from championship.runs.models import Run, SentAhead
from championship.runs.services.awaited_turns import withdraw_told


@transaction.atomic
def call_off(*, by: User, rally: Rally, reason: str) -> Rally:
    """The rally is cancelled, before its start or under way: nobody is to play any more, and nobody is waited for.

    What was driven stays to be read. Only organisers; entrants are told the reason. Twice is once.

    Raises: as rallies' `cancel_rally`; Stale too when a stage opens at this moment.
    """
    now = clock.now()
    runs = Run.objects.filter(special_stage__rally=rally, status=Run.Status.RUNNING).order_by("pk")
    locked = list(runs.select_for_update(of=("self",)))
    rally = rallies.cancel_rally(by=by, rally=rally, reason=reason)
    if runs.exclude(pk__in=[run.pk for run in locked]).exists():
        raise Stale(_("The next one has opened at this moment. Look again."))
    for run in locked:
        for turn in run.turns.filter(ended_at=None):
            turn.ended_at = now
            turn.save(update_fields=["ended_at"])
            withdraw_told(turn)
    plans = SentAhead.objects.filter(seat__run__in=locked, state=SentAhead.State.WAITING)
    plans.update(state=SentAhead.State.WITHDRAWN, settled_at=now)
    runs.filter(pk__in=[run.pk for run in locked]).update(status=Run.Status.CANCELLED, finished_at=now, hidden=False)
    return rally
