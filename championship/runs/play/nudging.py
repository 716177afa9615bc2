"""What organisers can do about a turn that waits: remind its driver, or give more time."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.deadlines.lifecycle import TIMING_FIELDS, extend
from championship.notices import services as notices
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.entries.impartiality import TIMEKEEPERS, require_impartial
from championship.rallies.locks import locked_rally
from championship.rallies.models import Rally
from championship.rallies.text_checks import checked_line
from championship.runs.models import Run, Turn
from championship.runs.play.advancing_run import locked_run
from championship.runs.play.organisers_and_wheels import DrivesInRun, require_no_seat_in_hidden_run
from championship.runs.play.turn_notices import letter_of
from championship.runs.watch.waiting_turns import has_orders_ahead, last_move, subject_of, why_no_reminder

DOUBLE_PRESS_WINDOW = timedelta(minutes=1)
"""A second reminder to the same driver within this time is a repeated press of the button."""
MOST_HOURS = 720


@transaction.atomic
def nudge(*, by: User, turn: Turn) -> Turn:
    """Remind the driver that this turn waits, by all channels that the driver has chosen. Only organisers may; it is
    logged. A second press within DOUBLE_PRESS_WINDOW does nothing.

    Raises: Refused when the driver has just moved or just got the turn, was reminded within EVERY, or is not waited for
    (the codriver drives, or the rally is paused).
    Raises: Stale when the turn has been made.
    """
    run, turn, rally = _locked_turn(by, turn)
    now = clock.now()
    if turn.nudged_at is not None and now - turn.nudged_at < DOUBLE_PRESS_WINDOW:
        return turn
    orders_wait = turn.to_come and has_orders_ahead(turn)
    if why := why_no_reminder(turn, rally, now=now, moved=last_move(turn), orders_wait=orders_wait):
        raise Refused(why)
    turn.nudged_at = now
    turn.save(update_fields=["nudged_at"])
    _log(by, "driver nudged", run, turn)
    _send_notice(turn, "turn nudged", f"nudged {now:%Y%m%dT%H%M%S}")
    return turn


def nudge_all(*, by: User, turns: Iterable[Turn]) -> int:
    """Remind the drivers of these turns, each in its own transaction. Returns how many were reminded. Only organisers
    may.

    A turn that has been made meanwhile, or whose driver may not be reminded now, is skipped. So pressing twice reminds
    nobody twice. The same holds for a turn of a hidden run in which the organiser drives.

    Raises: Forbidden when `by` is no organiser of the club.
    """
    told = 0
    for turn in turns:
        before = turn.nudged_at
        with suppress(Refused, Stale, DrivesInRun):
            told += nudge(by=by, turn=turn).nudged_at != before
    return told


@transaction.atomic
def extend_turn(*, by: User, turn: Turn, hours: int, reason: str, seen: datetime) -> Turn:
    """Give the driver `hours` more for this turn, counted in the hours that count for this driver. Only organisers may,
    under the rule of impartiality and not for their own car; it is logged.

    The added time does not go into a bank. `seen` is the deadline that the organiser saw.

    Raises: Stale when the deadline has changed since, or the turn has been made.
    Raises: Refused with the field: hours (1 to MOST_HOURS, and the new deadline must be later than now), or reason.
    Raises: Refused when no time can be given, since the codriver drives or the stage closes for everybody at one
    moment.
    """
    run, turn, rally = _locked_turn(by, turn)
    rally = locked_rally(rally.pk)
    author_drives = require_impartial(by, rally, TIMEKEEPERS, concerned=[turn.seat.entry])
    reason, now = checked_line(reason, longest=200, field="reason"), clock.now()
    if turn.seat.codriver_drives or turn.stands_in:
        raise Refused(_("The codriver drives this turn: nobody has to play."))
    if rally.closes_for_all:
        says = _("It closes at the same time for everybody: change the hours that it is open.")
        raise Refused(says, field="hours")
    if not 1 <= hours <= MOST_HOURS:
        raise Refused(_("Give between 1 and %(most)d hours.") % {"most": MOST_HOURS}, field="hours")
    if turn.deadline != seen:
        raise Stale(_("This deadline has changed meanwhile. This page shows the new one."))
    before = turn.deadline
    extend(turn, seconds=hours * 3600, now=now)
    if turn.deadline <= now or turn.deadline == before:
        raise Refused(_("That time is over already: give more hours."), field="hours")
    turn.save(update_fields=TIMING_FIELDS)
    openly = {"author_drives": True} if author_drives else {}
    _log(by, "deadline extended", run, turn, more_hours=hours, reason=reason, **openly)
    told = {"author_drives": "yes"} if author_drives else {}
    _send_notice(turn, "turn extended", f"until {turn.deadline:%Y%m%dT%H%M%S}", reason=reason, **told)
    return turn


def _locked_turn(by: User, turn: Turn) -> tuple[Run, Turn, Rally]:
    """Lock the run, and return it with its open turn and its rally, for an organiser.

    Raises: Stale when the turn has been made.
    Raises: DrivesInRun when the organiser drives in a run in which something may be hidden: the answer would show who
    has moved.
    """
    run = locked_run(turn.run_id)
    rally = run.special_stage.rally
    require_role(by, rally.club, Role.ORGANISER)
    turn = run.turns.select_for_update(of=("self",)).select_related("seat__entry__driver").get(pk=turn.pk)
    turn.run = turn.seat.run = run
    require_no_seat_in_hidden_run(run, by, turn.seat)
    if turn.ended_at is not None or run.status != Run.Status.RUNNING:
        raise Stale(_("This turn has been made meanwhile."))
    return run, turn, rally


def _log(by: User, action: str, run: Run, turn: Turn, **details: object) -> None:
    rally = run.special_stage.rally
    about = {"rally": rally.name, "stage": run.special_stage.number, "crew": turn.seat.entry.crew}
    audit.record(actor=by, action=action, subject=turn.seat.entry, club_id=rally.club_id, details={**about, **details})


def _send_notice(turn: Turn, kind: str, about: str, **said: str) -> None:
    letter = replace(letter_of(turn, kind, **said), subject_key=f"{subject_of(turn)} {about}")
    notices.enqueue(
        recipient=letter.recipient,
        kind=letter.kind,
        subject_key=letter.subject_key,
        context=letter.context,
        link=letter.link,
        thread=letter.thread,
    )
