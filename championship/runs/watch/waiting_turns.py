"""Which turns wait for their drivers or for the codriver, and how notices about them are numbered; the facts on which
their deadlines depend, and whether organisers may remind their drivers.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import F, Max, Q
from django.utils.translation import gettext as _

from championship.deadlines.lifecycle import Facts, facts_of
from championship.rallies.clock.pauses import pauses_of_many
from championship.rallies.clock.rounds_together import drives_together
from championship.rallies.models import Entry, Rally
from championship.runs.models import Seat, SentAhead, Turn

EVERY = timedelta(hours=6)
"""The shortest time between two reminders of one driver by organisers."""
JUST_MOVED = timedelta(hours=1)
"""A driver who got the turn, or moved in it, within this time is not reminded."""


def subject_of(turn: Turn, given: int = 1) -> str:
    """Return the subject key of notices about this turn. `given` numbers its deadlines, so that one notice is sent for
    each.
    """
    subject = f"run {turn.run_id} turn {turn.number}"
    return subject if given == 1 else f"{subject} again {given}"


def subjects_of(turn: Turn) -> list[str]:
    """Return the subject keys of notices about any of the turn's deadlines."""
    return [subject_of(turn, given) for given in range(1, turn.given + 1)]


def is_waited_for(turn: Turn) -> bool:
    """Return whether a turn that begins waits for its driver, who must then be notified. False for turns that the
    codriver plays, and for turns that begin in a holiday in which the codriver stands in.
    """
    return not turn.seat.codriver_drives and not (turn.stands_in and turn.deadline <= turn.since)


def codriver_may_play(now: datetime) -> Q:
    """Return the condition for turns that the codriver may play now: turns of cars that were handed over for good;
    after their deadline, turns of cars whose wheel the codriver has for this turn or the rest of the stage; and, in
    rounds driven together, turns that come up after the round's deadline.
    """
    at_the_wheel = Q(seat__codriver_since__isnull=False, deadline__lte=now)
    behind = Q(drives_together("run__special_stage__rally"), deadline__lte=now)
    return Q(seat__entry__driven_by=Entry.DrivenBy.CODRIVER) | at_the_wheel | behind


def may_codriver_play(turn: Turn, now: datetime) -> bool:
    """Return whether the codriver may play this turn now: `codriver_may_play` for a turn in memory."""
    at_the_wheel = turn.seat.codriver_since is not None
    behind = turn.run.special_stage.rally.together
    for_good = turn.seat.entry.driven_by == Entry.DrivenBy.CODRIVER
    return for_good or ((at_the_wheel or behind) and turn.deadline <= now)


def has_orders_ahead(turn: Turn) -> bool:
    """Return whether the driver has orders ahead that wait. One query."""
    return turn.seat.sent_ahead.filter(state=SentAhead.State.WAITING).exists()


def orders_ahead_are_due() -> Q:
    """Return the condition for turns whose orders ahead were there when the turn began, and have not
    been played yet.
    """
    waits = Q(seat__sent_ahead__state=SentAhead.State.WAITING)
    return waits & Q(seat__sent_ahead__sent_at__lte=F("since"))


def facts_for(seats: Iterable[Seat], since: datetime) -> Facts:
    """Return the facts on which deadlines of turns of these seats depend, for turns that began at `since` or later.
    Three queries.
    """
    entries = [seat.entry for seat in seats]
    absences = pauses_of_many({entry.rally_id for entry in entries}, since)
    return facts_of({entry.driver_id for entry in entries}, since, absences)


def why_no_reminder(turn: Turn, rally: Rally, *, now: datetime, moved: datetime, orders_wait: bool) -> str:
    """Return why organisers may not remind the driver of this turn now; "" when they may. No query.

    moved: when the driver last moved or got the turn. orders_wait: whether orders ahead wait until other cars have
    driven.
    """
    crew = {"crew": turn.seat.entry}
    if turn.seat.codriver_drives or turn.stands_in:
        return _("The codriver drives this turn: nobody has to play.")
    if orders_wait:
        return _("%(crew)s has sent orders: cars ahead have yet to drive.") % crew
    if rally.paused_at is not None:
        return _("Paused: nobody has to play now.")
    if now - moved < JUST_MOVED:
        return _("%(crew)s has only just moved, or only just been given the turn.") % crew
    if turn.nudged_at is not None and now - turn.nudged_at < EVERY:
        hours = {"hours": int(EVERY.total_seconds() // 3600)}
        return _("%(crew)s was reminded already; once in %(hours)d hours is enough.") % {**crew, **hours}
    return ""


def last_move(turn: Turn) -> datetime:
    """Return when the driver got the turn or last moved in it."""
    moved: datetime | None = turn.posts.filter(by=turn.seat.entry.driver_id).aggregate(last=Max("at"))["last"]
    return turn.since if moved is None else max(turn.since, moved)
