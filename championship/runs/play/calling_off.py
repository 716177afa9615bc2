"""A rally is called off: every running run stops."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.platform import clock
from championship.platform.refusals import Stale
from championship.rallies import services as rallies
from championship.rallies.models import Rally
from championship.runs.models import Run, Seat, SentAhead
from championship.runs.play.organisers_and_wheels import log_waiting_acts
from championship.runs.play.turn_notices import drop_waiting_notices


@transaction.atomic
def call_off(*, by: User, rally: Rally, reason: str) -> Rally:
    """Cancel the rally, before its start or while it runs. No driver is to play any more, and no turn waits.

    The results so far stay readable. Only organisers may do it; entrants are notified of the reason. Doing it twice has
    the same effect as once.

    Raises: as rallies' `cancel_rally`; also Stale when a stage opens at the same moment.
    """
    now = clock.now()
    runs = Run.objects.filter(special_stage__rally=rally, status=Run.Status.RUNNING).order_by("pk")
    locked = list(runs.select_for_update(of=("self",)))
    rally = rallies.cancel_rally(by=by, rally=rally, reason=reason)
    if runs.exclude(pk__in=[run.pk for run in locked]).exists():
        raise Stale(_("The next one has just opened. Look again."))
    for run in locked:
        for turn in run.turns.filter(ended_at=None):
            turn.ended_at = now
            turn.save(update_fields=["ended_at"])
            drop_waiting_notices(turn)
    plans = SentAhead.objects.filter(seat__run__in=locked, state=SentAhead.State.WAITING)
    plans.update(state=SentAhead.State.WITHDRAWN, settled_at=now)
    runs.filter(pk__in=[run.pk for run in locked]).update(status=Run.Status.CANCELLED, finished_at=now, hidden=False)
    untold = Seat.objects.filter(run__in=locked, unlogged__isnull=False)
    log_waiting_acts(untold.select_related("entry", "run__special_stage__rally"))
    return rally
