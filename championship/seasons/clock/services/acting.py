"""What the clock of a season does in one round, act by act. Organisers use the same functions to do an act at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.core import signing
from django.db import transaction
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.notices.services import Letter, enqueue_many
from championship.platform import clock
from championship.platform.refusals import Refused
from championship.rallies.desk import organiser_notices
from championship.rallies.desk.services.starting import seed_at_random
from championship.rallies.entries.services.entering import (
    confirm_in_locked_rally,
    enter_in_locked_rally,
    withdraw_in_locked_rally,
)
from championship.rallies.entries.services.seeding import order_of, seed_locked_rally_by_standing
from championship.rallies.locks import locked_rally
from championship.rallies.models import Entry, Rally
from championship.seasons.clock.timetable import ACTS, ASK, CLOSE, DRAW, OPEN, START
from championship.seasons.models import CheckIn, Round, RoundAct, SeasonClock
from championship.seasons.services.registering import wanted_in

SALT = "championship.seasons.check_in"
BEFORE_START = (OPEN, ASK, CLOSE, DRAW)
OVER = (Rally.Status.FINISHED, Rally.Status.CANCELLED)
State = RoundAct.State


def times_of(round: Round, of: SeasonClock) -> Mapping[str, datetime]:
    """Return when each act of a round is due, by its name: by the dates of its rally, which organisers may change.
    Empty for a rally without a start.
    """
    rally = round.rally
    if rally.starts_at is None:
        return {}
    times = dict(of.timetable.times(rally.starts_at))
    closes = rally.entries_close_at or rally.starts_at
    opens = rally.entries_open_at or times[OPEN]
    times |= {OPEN: min(opens, closes), CLOSE: closes, DRAW: closes}
    return times


def states_of(round: Round) -> dict[str, str]:
    """Return what became of each act of a round, by its name. One query, none where the acts were read before."""
    return {each.act: each.state for each in round.acts.all()}


def next_act(round: Round, of: SeasonClock) -> str | None:
    """Return the first act of a round that is not done or left out; None once its rally has started."""
    if round.rally.status != Rally.Status.ENTRIES:
        return None
    states = states_of(round)
    through = (State.DONE, State.SKIPPED)
    due = [act for act in ACTS if act != ASK or of.asks_hours]
    return next((act for act in due if states.get(act) not in through), None)


def act_on_round(round_id: int, *, now: datetime) -> int:
    """Do the acts of a round that are due, each in a transaction of its own. The start is left to the rally's own date.
    Returns how many were done. An act that is refused stops, and organisers are told.
    """
    done = 0
    while _do_next(round_id, now=now):
        done += 1
    return done


@transaction.atomic
def _do_next(round_id: int, *, now: datetime) -> bool:
    round = _round_locked(round_id)
    act = next_act(round, round.championship.clock)
    if act is None or act == START or states_of(round).get(act) in (State.HELD, State.STOPPED):
        return False
    due = times_of(round, round.championship.clock).get(act)
    if due is None or due > now:
        return False
    return do_or_stop(round, act, by=None)


def do_or_stop(round: Round, act: str, *, by: User | None) -> bool:
    """Do an act; the rally is locked. Returns False when it is refused: then it stops, and organisers are told."""
    try:
        with transaction.atomic():
            perform(round, act, by=by)
    except Refused as refusal:
        _stop(round, act, str(refusal.message))
        return False
    return True


def perform(round: Round, act: str, *, by: User | None) -> None:
    """Do an act of a round before its start, and write that it is done. The rally is locked.

    Raises: Refused when it cannot be done.
    """
    rally = round.rally
    if act == OPEN:
        _open(round, by)
    elif act == ASK:
        _ask(rally)
    elif act == CLOSE:
        _close(round, by)
    elif act == DRAW:
        _draw(round, by)
    RoundAct.objects.update_or_create(
        round=round, act=act, defaults={"state": State.DONE, "by": by, "at": clock.now(), "reason": ""}
    )
    log_act(round, act, "season act done", by=by)


def prepare_start(rally: Rally, *, now: datetime) -> bool:
    """Do what the season's clock has not done yet before a rally of it starts. The rally is locked. Returns False when
    organisers hold an act, and when the round before is not over and the season waits for it.

    Raises: Refused when an act cannot be done, or has stopped.
    """
    round = _running_round(rally)
    if round is None:
        return True
    of = round.championship.clock
    states = states_of(round)
    if any(states.get(act) == State.HELD for act in ACTS) or (of.waits and _earlier_open(round)):
        return False
    stopped = round.acts.filter(state=State.STOPPED).first()
    if stopped is not None:
        raise Refused(stopped.reason)
    while (act := next_act(round, of)) not in (None, START):
        assert act is not None
        perform(round, act, by=None)
    return True


def _running_round(rally: Rally) -> Round | None:
    found = Round.objects.filter(rally=rally, championship__clock__running=True)
    round = found.select_related("championship__clock").first()
    if round is not None:
        round.rally = rally
    return round


def _earlier_open(round: Round) -> bool:
    earlier = Round.objects.filter(championship_id=round.championship_id, number__lt=round.number)
    return earlier.exclude(rally__status__in=OVER).exists()


def _round_locked(round_id: int) -> Round:
    """Return a round with its rally, locked, and the clock of its season.

    Raises: Http404 when there is no such round any more.
    """
    round = Round.objects.select_related("championship__clock").filter(pk=round_id).first()
    if round is None:
        raise Http404
    round.rally = locked_rally(round.rally_id)
    return round


def _open(round: Round, by: User | None) -> None:
    rally = round.rally
    rally.entries_opened = True
    rally.save(update_fields=["entries_opened"])
    enter_in_locked_rally(rally, wanted_in(round), by=by)


def _ask(rally: Rally) -> None:
    entries = list(
        rally.entries.filter(
            status__in=Entry.Status.taking_places(),
            driven_by=Entry.DrivenBy.PERSON,
            driver__is_bot=False,
            check_in__isnull=True,
        ).select_related("driver")
    )
    asked = CheckIn.objects.bulk_create(CheckIn(entry=entry) for entry in entries)
    enqueue_many([_question(rally, each.entry) for each in asked])


def _question(rally: Rally, entry: Entry) -> Letter:
    return Letter(
        recipient=entry.driver,
        kind="do you come",
        subject_key=f"entry {entry.pk} check-in",
        context={"rally": rally.name, "starts": rally.starts_at, "entry": entry.pk},
        link=reverse("seasons:check_in", args=[token_for(entry)]),
        thread=f"rally {rally.key}",
    )


def token_for(entry: Entry) -> str:
    """Return the signed part of the address at which the driver of an entry answers without signing in."""
    return signing.dumps([entry.pk, entry.driver_id], salt=SALT)


def entry_of(token: str) -> Entry:
    """Return the entry of a token.

    Raises: Http404 when the signature is not ours, or somebody else drives the entry now.
    """
    try:
        pk, driver = signing.loads(token, salt=SALT)
    except (signing.BadSignature, ValueError, TypeError):
        raise Http404 from None
    entry = Entry.objects.select_related("rally__club", "driver").filter(pk=pk, driver_id=driver).first()
    if entry is None:
        raise Http404
    return entry


def _close(round: Round, by: User | None) -> None:
    rally = round.rally
    rally.entries_closed = True
    rally.save(update_fields=["entries_closed"])
    if round.championship.clock.silent == SeasonClock.Silent.LEAVES:
        silent = rally.entries.filter(status__in=Entry.Status.taking_places(), check_in__answered_at=None)
        for entry in silent.filter(check_in__isnull=False):
            withdraw_in_locked_rally(rally, entry, by=by)
    confirm_in_locked_rally(rally, by=by)


def _draw(round: Round, by: User | None) -> None:
    rally, of = round.rally, round.championship.clock
    if of.draws != SeasonClock.Draws.RANDOM and order_of(rally):
        seed_locked_rally_by_standing(rally, by=by, leader_last=of.draws == SeasonClock.Draws.REVERSED)
    else:
        seed_at_random(rally, rally.stages.get(number=1), by=by)


def _stop(round: Round, act: str, reason: str) -> None:
    now = clock.now()
    RoundAct.objects.update_or_create(
        round=round, act=act, defaults={"state": State.STOPPED, "by": None, "at": now, "reason": reason[:300]}
    )
    log_act(round, act, "season act stopped", by=None, reason=reason)
    organiser_notices.notify_organisers(
        round.rally,
        "season act stopped",
        f"round {round.pk} {act} {now:%Y%m%dT%H%M%S}",
        {"act": act, "why": reason},
        reverse("seasons:edit_clock", args=[round.championship.key]),
    )


def log_act(round: Round, act: str, action: str, *, by: User | None, **details: object) -> None:
    """Write an act of the clock in the audit log."""
    audit.record(
        actor=by,
        action=action,
        subject=round.championship,
        club_id=round.championship.club_id,
        details={"rally": round.rally.name, "act": act, **details},
    )


def rounds_ahead(championship_id: int) -> Iterable[Round]:
    """Return the rounds of a season whose rallies take entries, in the order of the calendar, with what is read of them
    here. Three queries.
    """
    found = Round.objects.filter(championship_id=championship_id, rally__status=Rally.Status.ENTRIES)
    return found.select_related("rally", "championship__clock").prefetch_related("acts").order_by("number")


@transaction.atomic
def answer(*, entry: Entry, coming: bool) -> bool:
    """Write whether the driver of an entry comes. Who does not come is withdrawn, and the waiting list moves up. The
    same answer again changes nothing. Returns whether the driver comes.

    Raises: Refused when the rally has started or is called off, and for a driver who was not asked.
    """
    rally = locked_rally(entry.rally_id)
    entry = Entry.objects.select_related("driver").get(pk=entry.pk)
    asked = CheckIn.objects.filter(entry=entry).first()
    if asked is None or entry.status not in Entry.Status.entered():
        raise Refused(_("You have no entry in this rally any more."))
    if rally.status != Rally.Status.ENTRIES:
        raise Refused(_("It has started already."))
    if asked.coming is coming:
        return coming
    asked.coming, asked.answered_at = coming, clock.now()
    asked.save(update_fields=["coming", "answered_at"])
    if not coming:
        withdraw_in_locked_rally(rally, entry, by=entry.driver)
    return coming
