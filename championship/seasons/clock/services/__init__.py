"""Writes about the clock of a season: its settings, the dates that it gives to rounds, and what organisers do with its
acts. `acting` beside this module carries the acts out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import available_timezones

from django.db import transaction
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.audit import services as audit
from championship.clubs.models import Role
from championship.clubs.services import require_role
from championship.failures.services import Attempts
from championship.notices.models import Notice
from championship.platform import clock
from championship.platform.refusals import Refused, Stale
from championship.rallies.locks import locked_rally
from championship.rallies.models import Rally
from championship.rallies.services import start_rally
from championship.seasons.clock.models import LONGEST_DAYS, LONGEST_HOURS
from championship.seasons.clock.services.acting import (
    act_on_round,
    log_act,
    next_act,
    perform,
    prepare_start,
    rounds_ahead,
    states_of,
    times_of,
)
from championship.seasons.clock.timetable import ACTS, OPEN, START
from championship.seasons.divisions.services.offers import offer_by_clock, offers_to_come
from championship.seasons.divisions.services.renewing import renew_by_clock
from championship.seasons.models import Championship, CheckIn, Round, RoundAct, SeasonClock
from championship.seasons.services import locked

LOOKS_EVERY = timedelta(hours=1)
"""The clock looks at a season at least so often: a rally that is over, and a new day in the calendar, move times."""
SETTINGS = ("zone", "start_time", "opens_days", "asks_hours", "closes_hours", "draws", "silent", "waits", "running")
State = RoundAct.State


def clock_of(championship: Championship) -> SeasonClock:
    """Return the clock of a season; a new one that does not run where it has none."""
    return SeasonClock.objects.filter(championship=championship).first() or SeasonClock(championship=championship)


@transaction.atomic
def set_clock(*, by: User, championship: Championship, version: int | None = None, **given: Any) -> SeasonClock:
    """Change the clock of a season, start it or stop it (`running`). Only organisers. The rounds ahead get their dates
    at once. Stopping leaves all dates as they are.

    Raises: Refused with the field for values out of range.
    Raises: Stale when it has changed since `version`, unless it already has these values.
    """
    require_role(by, championship.club, Role.ORGANISER)
    championship = locked(championship)
    of = clock_of(championship)
    before = {name: getattr(of, name) for name in SETTINGS}
    wanted = {name: given.get(name, before[name]) for name in SETTINGS}
    _check(wanted)
    if of.pk and wanted == before:
        return of
    if version is not None and version != of.version:
        raise Stale(_("Somebody has changed the championship meanwhile. This page shows it as it is now."))
    for name, value in wanted.items():
        setattr(of, name, value)
    of.version += 1
    of.next_at = clock.now() if of.running else None
    of.save()
    changed = {name: str(value) for name, value in wanted.items() if value != before[name]}
    audit.record(
        actor=by,
        action="season clock changed",
        subject=championship,
        club_id=championship.club_id,
        details={"championship": championship.name, "clock": [f"{name}: {value}" for name, value in changed.items()]},
    )
    if of.running:
        _set_dates(championship, clock.now())
    return of


def _check(wanted: Mapping[str, Any]) -> None:
    if wanted["zone"] not in available_timezones():
        raise Refused(_("Choose a time zone of the list."), field="zone")
    for name, most in (("opens_days", LONGEST_DAYS), ("asks_hours", LONGEST_HOURS), ("closes_hours", LONGEST_HOURS)):
        if not 0 <= wanted[name] <= most:
            raise Refused(_("Give a number from 0 to %(most)d.") % {"most": most}, field=name)
    if wanted["closes_hours"] > 24 * wanted["opens_days"]:
        raise Refused(_("Entries cannot close before they open."), field="closes_hours")
    if 0 < wanted["asks_hours"] <= wanted["closes_hours"]:
        says = _("Ask before entries close, so that the waiting list can move up; or 0, not at all.")
        raise Refused(says, field="asks_hours")


def _set_dates(championship: Championship, now: datetime) -> None:
    """Give the rounds ahead their dates. The championship is locked. Dates that organisers have set since stay."""
    of = championship.clock
    rounds = list(championship.rounds.select_related("rally").prefetch_related("acts").order_by("number"))
    over: datetime | None = now
    for round in rounds:
        status = round.rally.status
        if status == Rally.Status.FINISHED:
            over = round.rally.finished_at
        elif status == Rally.Status.RUNNING:
            over = None
        elif status == Rally.Status.ENTRIES:
            start = _start_of(round, of, over, now)
            over = None
            if start is not None and start != round.clock_start and start > now:
                _date(round, of, start, now)


def _start_of(round: Round, of: SeasonClock, over: datetime | None, now: datetime) -> datetime | None:
    """Return when a round starts: on its day, else after the round before, which was over at `over`; None when that is
    not known yet. A round without a day keeps the start that it has been given.
    """
    if round.planned_for is not None:
        return of.timetable.start_on(round.planned_for)
    if over is None:
        return None
    return round.clock_start or of.timetable.start_after(max(over, now))


def _date(round: Round, of: SeasonClock, start: datetime, now: datetime) -> None:
    rally = locked_rally(round.rally_id)
    if rally.status != Rally.Status.ENTRIES:
        return
    times = of.timetable.times(start)
    closes = times["close"]
    rally.starts_at, rally.entries_close_at, rally.entries_open_at = start, max(closes, now), times[OPEN]
    rally.entries_closed = False
    if states_of(round).get(OPEN) != State.DONE:
        rally.entries_opened = rally.entries.exists() or times[OPEN] <= now
    rally.save(update_fields=["starts_at", "entries_close_at", "entries_open_at", "entries_closed", "entries_opened"])
    round.clock_start = start
    round.save(update_fields=["clock_start"])


class SeasonClocks:
    """The scheduled action that runs the seasons: it gives rounds their dates, and does what is due in them."""

    name = "season clocks"

    def due(self, now: datetime) -> Sequence[int]:
        """Championships that the clock has to look at."""
        waiting = SeasonClock.objects.filter(running=True, next_at__lte=now, championship__club__closed_at=None)
        return list(waiting.order_by("next_at").values_list("championship_id", flat=True))

    def act(self, row_id: int, now: datetime) -> bool:
        """Look at one season. A round that fails is put off alone."""
        if not look_at(row_id, now=now):
            return False
        attempts = Attempts("season rounds: due", now=now)
        for round in list(rounds_ahead(row_id)):
            attempts.attempt(round.pk, partial(act_on_round, round.pk, now=now))
        divisions = Attempts("season divisions: due", now=now)
        divisions.attempt(row_id, partial(_keep_divisions, row_id, now=now))
        return plan_next_look(row_id, now=now)


def _keep_divisions(championship_id: int, *, now: datetime) -> None:
    """Offer free places to reserves, and make the next season when it is due."""
    offer_by_clock(championship_id, now=now)
    renew_by_clock(championship_id, now=now)


@transaction.atomic
def look_at(championship_id: int, *, now: datetime) -> bool:
    """Give the rounds of a season their dates. Returns False when its clock does not run any more."""
    championship = Championship.objects.select_for_update(of=("self",)).filter(pk=championship_id).first()
    if championship is None or not SeasonClock.objects.filter(championship=championship, running=True).exists():
        return False
    _set_dates(championship, now)
    return True


@transaction.atomic
def plan_next_look(championship_id: int, *, now: datetime) -> bool:
    """Set when the clock looks at a season next: when something is due, and at least once an hour."""
    of = SeasonClock.objects.select_for_update().filter(championship_id=championship_id, running=True).first()
    if of is None:
        return False
    ends = (at for at in offers_to_come(championship_id) if at > now)
    of.next_at = min([now + LOOKS_EVERY, *_times_ahead(rounds_ahead(championship_id), of, now), *ends])
    of.save(update_fields=["next_at"])
    return True


def _times_ahead(rounds: Iterable[Round], of: SeasonClock, now: datetime) -> Iterable[datetime]:
    for round in rounds:
        act = next_act(round, of)
        due = times_of(round, of).get(act) if act else None
        if due is not None and due > now:
            yield due


def question_stands(notice: Notice) -> bool:
    """Whether the question of a notice still waits for an answer."""
    asked = CheckIn.objects.filter(entry=notice.context["entry"], answered_at=None)
    return asked.filter(entry__rally__status=Rally.Status.ENTRIES).exists()


class SeasonStarts:
    """Lets a rally of a season start only when the clock's earlier acts are done."""

    def prepare_start(self, rally: Rally, *, now: datetime) -> bool:
        """Do what comes before the start; `rallies.followers.StartFollower`."""
        return prepare_start(rally, now=now)


# What organisers do with an act ----------------------------------------------------------------------


@transaction.atomic
def hold(*, by: User, round: Round, act: str) -> None:
    """Hold an act of a round, and with it all that follow, until it is released. Only organisers.

    Raises: Stale when it is done already.
    """
    round = _organised(by, round, act)
    if states_of(round).get(act) != State.HELD:
        _write(round, act, State.HELD, by, "season act held")


@transaction.atomic
def release(*, by: User, round: Round, act: str) -> None:
    """Let a held or stopped act happen at its time, or now when its time has passed. Only organisers.

    Raises: Stale when it is done already.
    """
    round = _organised(by, round, act)
    deleted, _by_model = round.acts.filter(act=act, state__in=(State.HELD, State.STOPPED)).delete()
    if deleted:
        log_act(round, act, "season act released", by=by)
        _look_now(round)


@transaction.atomic
def skip(*, by: User, round: Round, act: str) -> None:
    """Leave an act of a round out. Only organisers. The start cannot be left out.

    Raises: Refused for the start.
    Raises: Stale when it is done already.
    """
    round = _organised(by, round, act)
    if act == START:
        raise Refused(_("The start cannot be left out. Hold it instead."))
    if act == OPEN:
        round.rally.entries_opened = True
        round.rally.save(update_fields=["entries_opened"])
    _write(round, act, State.SKIPPED, by, "season act left out")
    _look_now(round)


@transaction.atomic
def do_now(*, by: User, round: Round, act: str) -> None:
    """Do the next act of a round at once. Only organisers.

    Raises: Refused when it cannot be done, or an earlier act is still to be done.
    Raises: Stale when it is done already.
    """
    round = _organised(by, round, act)
    if act != next_act(round, round.championship.clock):
        raise Refused(_("Something else comes first in this round."))
    if act == START:
        start_rally(by=by, rally=round.rally)
    else:
        perform(round, act, by=by)
    _look_now(round)


def _organised(by: User, round: Round, act: str) -> Round:
    """Return the round with its rally, locked, for an organiser."""
    if act not in ACTS:
        raise Refused(_("There is no such act."))
    rally = locked_rally(round.rally_id)
    require_role(by, rally.club, Role.ORGANISER)
    round = Round.objects.select_related("championship__clock").get(pk=round.pk)
    round.rally = rally
    done = (State.DONE, State.SKIPPED)
    if rally.status != Rally.Status.ENTRIES or (states_of(round).get(act) in done):
        raise Stale(_("This is done already."))
    return round


def _write(round: Round, act: str, state: str, by: User, action: str) -> None:
    RoundAct.objects.update_or_create(
        round=round, act=act, defaults={"state": state, "by": by, "at": clock.now(), "reason": ""}
    )
    log_act(round, act, action, by=by)


def _look_now(round: Round) -> None:
    SeasonClock.objects.filter(championship_id=round.championship_id, running=True).update(next_at=clock.now())
