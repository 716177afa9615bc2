"""A season from first start to last finish: the conductor moves the clock, people act, the clockwork answers."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

from django.db.models import Min

from championship.accounts.models import User
from championship.accounts.services import update_profile
from championship.celery import app
from championship.clubs.holidays import take_holiday, today_of
from championship.notices.models import Notice
from championship.rallies.models import ControlSweep, SpecialStage
from championship.rallies.services import start_rally
from championship.refusals import Refused
from championship.runs.models import Run, Sweep, Turn
from championship.runs.services import play_turn
from engine import ruleset
from tests.chaos import moment
from tests.chaos.habits import Size
from tests.chaos.town import Town

MINUTE = timedelta(minutes=1)
REGULAR = timedelta(hours=1)
"""How often beat is let tick when nothing is known to be due."""

Act = Callable[[], None]


def due_at() -> datetime | None:
    """The next moment at which the clock has something to do, as the rows say: four queries."""
    turns = Turn.objects.filter(ended_at=None).aggregate(deadline=Min("deadline"), reminder=Min("remind_at"))
    controls = SpecialStage.objects.filter(status=SpecialStage.Status.TIME_CONTROL).aggregate(
        at=Min("control_deadline")
    )
    notices = Notice.objects.filter(status=Notice.Status.QUEUED).aggregate(at=Min("next_try_at"))
    known = [turns["deadline"], turns["reminder"], controls["at"], notices["at"]]
    return min((at for at in known if at is not None), default=None)


def _beaten(until: datetime) -> None:
    """Beat has ticked each minute until then."""
    for sweeps in (Sweep, ControlSweep):
        sweeps.objects.filter(at__lt=until).update(at=until)


@dataclass
class Season:
    """A season under way. `tick` is what beat does once a minute, and says what moment it is then; `retried` carries
    out what a person does.
    """

    size: Size
    town: Town
    tick: Callable[[datetime], datetime]
    retried: Callable[[Act], None] = lambda act: act()
    now: datetime = moment.BEGINNING
    played: int = 0
    _acts: list[tuple[datetime, int, Act]] = field(default_factory=list)
    _order: itertools.count[int] = field(default_factory=itertools.count)
    _seen: int = 0

    def run(self) -> None:
        """Until every rally is over and nothing is left to do."""
        for after, rally, organiser in self.town.starts:
            self._plan(moment.BEGINNING + after, lambda rally=rally, by=organiser: start_rally(by=by, rally=rally))
        self._plan_journeys()
        self.go_on()

    def go_on(self) -> None:
        """Until nothing is left to do."""
        last = moment.BEGINNING + timedelta(days=2 * self.size.days)
        while (at := self._next()) is not None and at <= last:
            self._go_to(at)
            while self._acts and self._acts[0][0] <= self.now:
                self.retried(heapq.heappop(self._acts)[2])
            if self.now.second == 0:
                self.now = self.tick(self.now)
            self._notice_new_turns()

    def _next(self) -> datetime | None:
        """The next act of a person or tick of the clock; ticks fall on whole minutes. None when all is over."""
        person = self._acts[0][0] if self._acts else None
        if person is None and not Run.objects.filter(status=Run.Status.RUNNING).exists() and due_at() is None:
            return None
        due = due_at()
        regular = _whole_minute(self.now, REGULAR)
        clock = regular if due is None else min(regular, max(_whole_minute(due), self.now + MINUTE))
        return clock if person is None else min(max(person, self.now), clock)

    def _go_to(self, at: datetime) -> None:
        """The clock jumps over minutes in which beat would have found nothing to do: they are no outage."""
        before, self.now = self.now, max(at, self.now)
        if self.now - before > MINUTE:
            self.retried(lambda: _beaten(self.now - MINUTE))
        moment.turn_to(self.now)

    def _plan(self, at: datetime, act: Act) -> None:
        heapq.heappush(self._acts, (at, next(self._order), act))

    def _notice_new_turns(self) -> None:
        """Drivers whose turn it has become make up their minds when, or whether, to drive it."""
        turns = Turn.objects.filter(pk__gt=self._seen, ended_at=None).order_by("pk")
        for turn in turns.select_related("place__entry"):
            self._seen = max(self._seen, turn.pk)
            habit = self.town.habits[turn.place.entry.driver_id]
            waits = habit.waits(Random(f"{self.size.seed} turn {turn.run_id} {turn.number}"))
            if waits is not None:
                self._plan(max(turn.since, self.now) + waits, lambda pk=turn.pk: self._drive(pk))

    def _drive(self, turn_id: int) -> None:
        """The driver makes the turn, step by step, if it is still there to make."""
        turn = Turn.objects.select_related("run", "place__entry__driver").get(pk=turn_id)
        run, driver, rules = turn.run, turn.place.entry.driver, ruleset.get(turn.run.game)
        step = run.version
        while run.status == Run.Status.RUNNING and rules.turns_made(run.state, turn.place.driver) == turn.made_before:
            if turn.place.driver not in rules.to_play(run.state):
                return
            orders = rules.autopilot(run.state, turn.place.driver)
            try:
                run = play_turn(by=driver, run=run, orders=orders, version=run.version, key=f"{turn_id} {step}").run
            except Refused:
                return  # the codriver has the car, or has just driven: a person would look again
            step = run.version
        self.played += 1

    def _plan_journeys(self) -> None:
        """Holidays and switches of zone, on the days that people's ways say."""
        for pk, habit in self.town.habits.items():
            if habit.away is not None:
                day, days = habit.away
                at = moment.BEGINNING + timedelta(days=day, hours=9)
                self._plan(at, lambda pk=pk, days=days: self._leave(pk, days))
            if habit.travels is not None:
                day, zone = habit.travels
                at = moment.BEGINNING + timedelta(days=day, hours=3)
                self._plan(at, lambda pk=pk, zone=zone: self._move(pk, zone))

    def _leave(self, driver_id: int, days: int) -> None:
        """A holiday, from tomorrow on by the driver's own calendar."""
        driver = User.objects.get(pk=driver_id)
        first = today_of(driver, self.now) + timedelta(days=1)
        with suppress(Refused):  # taken already, before the database went away
            take_holiday(
                by=driver,
                club=self.town.home[driver_id],
                first_day=first,
                last_day=first + timedelta(days=days - 1),
            )

    def _move(self, driver_id: int, zone: str) -> None:
        """To another zone."""
        driver = User.objects.get(pk=driver_id)
        update_profile(user=driver, name=driver.name, language=driver.language, time_zone=zone)


def _whole_minute(at: datetime, step: timedelta = MINUTE) -> datetime:
    """The first whole step at or after `at`, but after it where `step` is the regular one."""
    rest = (at - moment.BEGINNING) % step
    if step != MINUTE:
        return at + step - rest
    return at if not rest else at + step - rest


def tick_here(now: datetime) -> datetime:
    """Beat's minute without beat: every sweep on its schedule, done in this process."""
    app.loader.import_default_modules()
    for each in app.conf.beat_schedule.values():
        app.tasks[each["task"]].apply()
    return now
