"""A season from the first start to the last finish. It moves the clock, acts for the people, and waits for the tasks
that are due.
"""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

from celery.schedules import crontab
from django.db.models import Min, Q

from championship.accounts.models import User
from championship.celery import app
from championship.deadlines.models import Sweep
from championship.notices.models import Notice
from championship.rallies.models import AwaitedCard, Rally, SpecialStage, StartPlace
from championship.rallies.services import start_rally
from championship.runs.models import Run, Seat, Turn
from tests.chaos import moment, people
from tests.chaos.habits import HOUR, Size, rein_of
from tests.chaos.town import Town

MINUTE = timedelta(minutes=1)
REGULAR = timedelta(hours=1)
"""The longest time between two beats when nothing is known to be due, unless a season sets another."""

Act = Callable[[], object]


def due_at() -> datetime | None:
    """Return the next moment at which something is due, from the rows of the database. Three queries.

    A notice that a worker is sending stays due until the worker, or after its death another one, has settled it.
    """
    turns = Turn.objects.filter(ended_at=None, run__special_stage__rally__paused_at=None).aggregate(
        deadline=Min("deadline"), reminder=Min("remind_at")
    )
    cards = AwaitedCard.objects.filter(
        ended_at=None,
        special_stage__status=SpecialStage.Status.TIME_CONTROL,
        special_stage__rally__paused_at=None,
    ).aggregate(deadline=Min("deadline"), reminder=Min("remind_at"))
    notices = Notice.objects.aggregate(
        queued=Min("next_try_at", filter=Q(status=Notice.Status.QUEUED)),
        sending=Min("claimed_at", filter=Q(status=Notice.Status.SENDING)),
    )
    known = [*turns.values(), *cards.values(), *notices.values()]
    return min((at for at in known if at is not None), default=None)


def tick_after(now: datetime, due: datetime | None, regular_step: timedelta = REGULAR) -> datetime:
    """Return the next whole minute after `now` in which something is due, at most `regular_step` later."""
    after = now + timedelta.resolution
    regular = _next_step(after, regular_step)
    return regular if due is None else min(regular, _next_step(max(due, after), MINUTE))


def _next_step(at: datetime, step: timedelta) -> datetime:
    """Return the first multiple of the step at or after `at`."""
    return at + (moment.BEGINNING - at) % step


def _note_beats(until: datetime) -> None:
    """Record that beat has ticked each minute until then."""
    Sweep.objects.filter(at__lt=until).update(at=until)


@dataclass
class Season:
    """A season under way.

    tick: does the work of beat for one minute, and returns the time after that. retried: calls an act of a person.
    regular: the longest time between two beats. did: counts the acts.
    """

    size: Size
    town: Town
    tick: Callable[[datetime], datetime]
    retried: Callable[[Act], object] = lambda act: act()
    regular: timedelta = REGULAR
    now: datetime = moment.BEGINNING
    did: Counter[str] = field(default_factory=Counter)
    _acts: list[tuple[datetime, int, Act]] = field(default_factory=list)
    _order: itertools.count[int] = field(default_factory=itertools.count)
    _seen: int = 0
    _beaten: datetime = moment.BEGINNING
    _stages: set[int] = field(default_factory=set)
    cut_off: bool = False
    """Whether the days were used up before everything was finished."""

    def run(self) -> None:
        """Run until every rally is over and no work is left."""
        app.loader.import_default_modules()
        for number, (after, rally, organiser) in enumerate(self.town.starts):
            start = moment.BEGINNING + after
            self._plan(start, lambda rally=rally, by=organiser: start_rally(by=by, rally=rally))
            self._plan_rein(number, start, rally, organiser)
        self._plan_journeys()
        self.go_on()

    def go_on(self) -> None:
        """Run until no work is left."""
        last = moment.BEGINNING + timedelta(days=2 * self.size.days)
        while (at := self._next()) is not None:
            self.cut_off = at > last
            if self.cut_off:
                return
            self._go_to(at)
            while self._acts and self._acts[0][0] <= self.now:
                self.retried(heapq.heappop(self._acts)[2])
            if self.now == _next_step(self.now, MINUTE):
                self.now = self.tick(self.now)
            self._notice_new_turns()
            self._notice_time_controls()

    def _next(self) -> datetime | None:
        """Do the next act of a person or the next tick, which falls on a whole minute. Return None when everything is
        finished.
        """
        person = self._acts[0][0] if self._acts else None
        due = due_at()
        if person is None and due is None and not Run.objects.filter(status=Run.Status.RUNNING).exists():
            return None
        clock = tick_after(self.now, due, self.regular)
        return clock if person is None else min(max(person, self.now), clock)

    def _go_to(self, at: datetime) -> None:
        """Set the clock to `at`. It skips minutes in which nothing was due. These must not count as an outage."""
        self.now = max(at, self.now)
        if self.now - self._beaten > 2 * MINUTE:
            self._beaten = self.now - MINUTE
            self.retried(lambda: _note_beats(self._beaten))
        moment.turn_to(self.now)

    def _plan(self, at: datetime, act: Act) -> None:
        heapq.heappush(self._acts, (at, next(self._order), act))

    def _notice_new_turns(self) -> None:
        """For each new turn, decide when its driver plays it, if ever. Some others of the run send orders ahead
        meanwhile.
        """
        turns = Turn.objects.filter(pk__gt=self._seen, ended_at=None).order_by("pk")
        for turn in turns.select_related("seat__entry"):
            self._seen = max(self._seen, turn.pk)
            habit = self.town.habits[turn.seat.entry.driver_id]
            waits = habit.waits(Random(f"{self.size.seed} turn {turn.run_id} {turn.number}"))
            if waits is not None:
                at = max(turn.since, self.now) + waits
                self._plan(at, lambda pk=turn.pk: self._count("turns driven", people.drive(pk)))
            self._think_ahead(turn)

    def _think_ahead(self, turn: Turn) -> None:
        draw = Random(f"{self.size.seed} ahead {turn.run_id} {turn.number}")
        for place in Seat.objects.filter(run=turn.run_id).exclude(pk=turn.seat_id).select_related("entry"):
            if draw.random() < self.town.habits[place.entry.driver_id].ahead:
                at = max(turn.since, self.now) + draw.random() * HOUR
                self._plan(at, lambda pk=place.pk: self._count("plans sent ahead", people.plan_ahead(pk)))

    def _notice_time_controls(self) -> None:
        """Decide when drivers hand in their cards. They do it as they play their turns: soon, late or never."""
        stages = SpecialStage.objects.filter(status=SpecialStage.Status.TIME_CONTROL).exclude(pk__in=self._stages)
        for stage in stages:
            self._stages.add(stage.pk)
            for place in StartPlace.objects.filter(special_stage=stage).select_related("entry__driver"):
                driver = place.entry.driver
                waits = self.town.habits[driver.pk].waits(Random(f"{self.size.seed} card {stage.pk} {driver.pk}"))
                if waits is not None:
                    self._plan(self.now + waits, lambda stage=stage, by=driver: people.hand_in(stage, by))

    def _count(self, what: str, done: bool) -> None:
        self.did[what] += done

    def _plan_rein(self, number: int, start: datetime, rally: Rally, organiser: User) -> None:
        """Plan the changes of the organiser to a rally under way."""
        rein = rein_of(number, seed=self.size.seed)
        if rein.pauses is not None:
            after, hours = rein.pauses
            self._plan(start + after * HOUR, lambda: people.pause(rally, organiser))
            self._plan(start + (after + hours) * HOUR, lambda: people.resume(rally, organiser))
        if rein.hours is not None:
            after, given = rein.hours
            self._plan(start + after * HOUR + MINUTE / 3, lambda: people.give_hours(rally, organiser, given))

    def _plan_journeys(self) -> None:
        """Plan holidays and changes of time zone, on the days in the habits."""
        for pk, habit in self.town.habits.items():
            if habit.away is not None:
                day, days = habit.away
                at = moment.BEGINNING + timedelta(days=day, hours=9)
                self._plan(at, lambda pk=pk, days=days: people.leave(pk, self.town.home[pk], days, self.now))
            if habit.travels is not None:
                day, zone = habit.travels
                at = moment.BEGINNING + timedelta(days=day, hours=3)
                self._plan(at, lambda pk=pk, zone=zone: people.move(pk, zone))


def tick_here(now: datetime) -> datetime:
    """Run every scheduled sweep in this process, as beat and workers would do in a minute."""
    for each in app.conf.beat_schedule.values():
        if isinstance(each["schedule"], crontab):  # nightly tasks are not part of a minute
            continue
        app.tasks[each["task"]].apply()
    return now
