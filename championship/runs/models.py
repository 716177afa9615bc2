"""Models of stages being driven: runs, their seats, posts of drivers, the resulting events, and turns."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from championship import catalogue
from championship.accounts.models import User
from championship.deadlines.closing_times import closing_time
from championship.deadlines.models import Allowance, Awaited
from championship.platform import sealed
from championship.platform.keys import new_key
from championship.rallies.clock.policy import Timekeeping
from championship.rallies.models import Entry, Rally
from championship.runs.ledger_models import Forecast as Forecast
from championship.runs.ledger_models import KeptAccounts as KeptAccounts
from championship.runs.ledger_models import KeptLedger as KeptLedger
from championship.runs.seal_models import Phrase as Phrase
from championship.runs.seal_models import Seal as Seal
from championship.runs.seal_models import new_secret as new_secret
from championship.runs.watch.unplayed_orders import PLAN_LENGTH as PLAN_LENGTH
from championship.runs.watch.unplayed_orders import Draft as Draft
from championship.runs.watch.unplayed_orders import SentAhead as SentAhead
from engine.verification import SALT_LENGTH

SEAT_LENGTH = 8
"""The longest name of a seat in the engine, in characters."""


class Run(models.Model):
    """One special stage driven by one group of entries. `state` is a snapshot; the events are authoritative.

    `version` counts accepted posts, so that an outdated page can be recognised.
    `drawn` counts the random draws so far.
    `stage`, `entrants`, `options` are the engine's input at the start.
    `secret` is computed from the stage's seal; so is `common`, where all runs of the stage share their draws.
    `hidden`: some events may be read by some seats only, for now. Events that were hidden until the phase closes are
    open up to number `open_up_to`.
    `second_seal` is put in front of every salt after a restored database got new seals (services/resealing.py). It is
    secret as long as the run is not over.
    `record_format` says how draws are made and how the record is written. In format 2 `phrases_sha256` is the digest of
    the stage's phrases as published when it opened. In format 1 `phrases` are those of the run's own drivers.
    """

    class Status(models.TextChoices):
        RUNNING = "running", _("On the road")
        FINISHED = "finished", _("Finished")
        CANCELLED = "cancelled", _("Called off")

    key = models.CharField(max_length=24, unique=True, default=new_key, editable=False)
    special_stage = models.ForeignKey("rallies.SpecialStage", on_delete=models.PROTECT, related_name="runs")
    number = models.PositiveSmallIntegerField(_("number"))
    game = models.CharField(_("game"), max_length=20)
    ruleset_version = models.CharField(_("version of the rules"), max_length=20)
    stage = models.JSONField(_("stage"))
    entrants = models.JSONField(_("cars at the start"))
    options = models.JSONField(_("options"))
    state: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("state"))
    version = models.PositiveIntegerField(_("version"), default=0)
    events_told = models.PositiveIntegerField(_("events"), default=0)
    hidden = models.BooleanField(_("some events are hidden"), default=False)
    open_up_to = models.PositiveIntegerField(_("phases are closed up to event"), default=0)
    secret = models.BinaryField(_("secret"), default=new_secret, editable=False)
    commitment = models.CharField(_("SHA-256 of the secret"), max_length=64)
    common: models.BinaryField[bytes | None, bytes | None] = models.BinaryField(
        _("secret of shared draws"), null=True, blank=True, editable=False
    )
    phrases = models.JSONField(_("phrases"), default=list)
    phrases_sha256 = models.CharField(_("SHA-256 of the stage's phrases"), max_length=64, blank=True, default="")
    second_seal = models.CharField(_("second seal"), max_length=24, blank=True, default="", editable=False)
    record_format = models.PositiveSmallIntegerField(_("format of the record"), default=1)
    drawn = models.PositiveIntegerField(_("draws"), default=0)
    status = models.CharField(_("status"), max_length=10, choices=Status.choices, default=Status.RUNNING)
    opened_at = models.DateTimeField(_("opened"))
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        ordering = ["special_stage", "number"]
        constraints = [
            models.UniqueConstraint(fields=["special_stage", "number"], name="runs_number_once_per_stage"),
            models.CheckConstraint(
                condition=Q(status="running", finished_at__isnull=True)
                | Q(status__in=["finished", "cancelled"], finished_at__isnull=False),
                name="runs_finished_at_a_moment",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.special_stage} / {self.number}"

    def get_absolute_url(self) -> str:
        return reverse("runs:run", args=[self.key])


class Seat(models.Model):
    """An entry in a run. `name` is what the engine and the records call the seat: the start number as text.

    `codriver_since`: when the codriver took the wheel, after a missed deadline or because its driver handed it over.
    `handed_over`: for how long its driver did; empty after a missed deadline, which is for the rest of the stage. That
    a car is handed over for one turn is known to its driver, and to organisers who do not drive in the run: otherwise
    the end of it would show that the turn was made. `by_organiser`: an organiser handed it over, not its driver; it
    means nothing where `handed_over` is empty. `unlogged`: what organisers did about a single turn and nobody else may
    know yet, in order: `actor` (an id) and `details` of each record for the log (`services/organisers_and_wheels.py`).
    `taken_back_at`: when its driver took the wheel back, as long as nobody else may know that; afterwards it is in the
    audit log.
    `seen_open_at`: when its driver last had the page of the run open, to the minute; None when never, or not known.
    `held`: the last orders of this seat asked chance for something and an error stopped them: `orders`, `salt`, and the
    moment `at` which that happened. None when the seat has played since.
    """

    class HandedOver(models.TextChoices):
        TURN = "turn", _("this turn")
        STAGE = "stage", _("this stage")

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="seats")
    special_stage = models.ForeignKey("rallies.SpecialStage", on_delete=models.PROTECT, related_name="+")
    entry = models.ForeignKey("rallies.Entry", on_delete=models.PROTECT, related_name="seats")
    name = models.CharField(_("name"), max_length=SEAT_LENGTH, db_column="driver")
    position = models.PositiveSmallIntegerField(_("position"))
    codriver_since = models.DateTimeField(_("codriver at the wheel since"), null=True, blank=True)
    handed_over = models.CharField(
        _("handed over for"), max_length=5, choices=HandedOver.choices, blank=True, default="", db_default=""
    )
    by_organiser = models.BooleanField(_("handed over by an organiser"), default=False, db_default=False)
    unlogged: models.JSONField[list[dict[str, Any]] | None, list[dict[str, Any]] | None] = models.JSONField(
        _("acts of organisers that are not logged yet"), null=True, blank=True, editable=False
    )
    taken_back_at = models.DateTimeField(_("wheel taken back"), null=True, blank=True)
    seen_open_at = models.DateTimeField(_("page last open"), null=True, blank=True, editable=False)
    held: models.JSONField[dict[str, Any] | None, dict[str, Any] | None] = models.JSONField(
        _("orders that were not carried out"), null=True, blank=True, editable=False
    )

    class Meta:
        verbose_name = _("seat")
        verbose_name_plural = _("seats")
        ordering = ["run", "position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "position"], name="runs_one_car_per_position"),
            models.UniqueConstraint(fields=["run", "name"], name="runs_driver_once_per_run"),
            models.UniqueConstraint(fields=["special_stage", "entry"], name="runs_entry_in_one_run_per_stage"),
        ]

    def __str__(self) -> str:
        return str(self.entry)

    @property
    def codriver_drives(self) -> bool:
        """Whether the codriver drives this car: the driver has handed it over, for good or for some time, or the
        codriver has the wheel for the rest of this stage.
        """
        return self.entry.driven_by != Entry.DrivenBy.PERSON or self.codriver_since is not None

    @property
    def take_back_until(self) -> datetime | None:
        """Until when the driver may take the wheel back after a missed deadline; None when the driver has it, has
        handed the car over, or drives on a stage that closes at a fixed moment.
        """
        rally = self.run.special_stage.rally
        if self.codriver_since is None or self.handed_over or self.entry.driven_by != Entry.DrivenBy.PERSON:
            return None
        if rally.closes_for_all:
            return None
        return self.codriver_since + timedelta(hours=rally.hand_back_hours)


class Turn(Awaited):
    """A driver's turn, numbered within the run: which seat is waited for, since when, until when.

    `made_before` counts the driver's own earlier turns, as the engine does.
    `missed`, `done`: the driver missed the deadline, and what the clock did then.
    `owed`: the penalty for that, as long as nobody else may know of it; it is given when the phase closes.
    `nudged_at`: when an organiser last reminded the driver.
    `to_come`: in a round driven together, cars ahead on the road have yet to drive; the driver may send orders ahead.
    `sent_in_time`: such orders were sent, and another car's move made them impossible. If the deadline passes now, it
    does not count as missed.
    `time_up_at`: in an evening, when the time was over and the others were asked whether they give more; None when it
    is not, or when they have. `times_more`: how often they have.
    """

    class Done(models.TextChoices):
        DRIVEN = "driven", _("The codriver drove a careful turn")
        PENALISED = "penalised", _("The codriver drove a careful turn, with a penalty")
        RETIRED = "retired", _("The car was retired")
        STOOD_IN = "stood in", _("The codriver stood in")
        HANDED_OVER = "handed", _("The codriver drove because the driver had handed the car over")
        GIVEN = "given", _("The codriver drove because an organiser had handed the car over")

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="turns")
    number = models.PositiveIntegerField(_("number"))
    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="turns")
    made_before = models.PositiveIntegerField(_("turns made before"))
    missed = models.BooleanField(_("deadline missed"), default=False)
    done = models.CharField(_("done by the clock"), max_length=10, choices=Done.choices, blank=True)
    owed = models.PositiveSmallIntegerField(_("penalty to be given"), null=True, blank=True)
    nudged_at = models.DateTimeField(_("reminded by an organiser"), null=True, blank=True)
    to_come = models.BooleanField(_("cars ahead have yet to drive"), default=False, db_default=False)
    sent_in_time = models.BooleanField(_("orders were sent in time"), default=False, db_default=False)

    time_up_at = models.DateTimeField(_("time was over"), null=True, blank=True)
    times_more = models.PositiveSmallIntegerField(_("how often others gave more time"), default=0, db_default=0)

    class Meta:
        verbose_name = _("turn")
        verbose_name_plural = _("turns")
        ordering = ["run", "number"]
        constraints = [
            models.UniqueConstraint(fields=["run", "number"], name="runs_turn_number_once_per_run"),
            models.UniqueConstraint(
                fields=["run", "seat"], condition=Q(ended_at__isnull=True), name="runs_one_open_turn_per_seat"
            ),
            models.CheckConstraint(condition=Q(deadline__gte=F("since")), name="runs_deadline_after_its_start"),
        ]
        indexes = [
            models.Index(fields=["deadline"], condition=Q(ended_at__isnull=True), name="runs_turns_due"),
            models.Index(
                fields=["remind_at"],
                condition=Q(ended_at__isnull=True, remind_at__isnull=False),
                name="runs_turns_to_remind",
            ),
            models.Index(fields=["seat"], condition=Q(missed=True), name="runs_turns_missed"),
            models.Index(fields=["seat"], condition=Q(ended_at__isnull=True), name="runs_open_turns_by_seat"),
        ]

    def __str__(self) -> str:
        return f"{self.run} #{self.number}"

    @property
    def done_in_words(self) -> str:
        """What the clock has done. The stand-in that a driver has chosen may be less careful than the labels say."""
        if self.done == self.Done.PENALISED:
            return gettext("The codriver drove the turn, with a penalty")
        return (
            gettext("The codriver drove the turn") if self.done in ("", self.Done.DRIVEN) else self.get_done_display()
        )

    @property
    def policy(self) -> Timekeeping:
        """The rally, which says how time is kept."""
        return self.run.special_stage.rally

    @property
    def person(self) -> User:
        """The present driver of the car."""
        return self.seat.entry.driver

    @property
    def codriver_drives(self) -> bool:
        """Whether the codriver plays the turn."""
        return self.seat.codriver_drives

    @property
    def allowance(self) -> Allowance:
        """How much time a turn has. The time in the bank when the turn begins stays in the bank until the turn ends."""
        stage, rally = self.run.special_stage, self.run.special_stage.rally
        if rally.closes_for_all:
            closes = stage.closes_at or closing_time(self.since, hours=rally.stage_hours)
            return Allowance(rally.turn_hours * 3600, closes=closes, holidays="count")
        holidays = "stand in" if rally.holidays == Rally.Holidays.CODRIVER else "wait"
        holidays = "count" if rally.keeps_seconds else holidays
        if rally.pace_now != Rally.Pace.BANK:
            return Allowance(rally.turn_seconds, holidays=holidays)
        return Allowance(rally.in_bank(self.seat.entry.bank_seconds), bank=True, holidays=holidays)

    def codriver_from(self, now: datetime) -> datetime:
        """Return when the codriver, who has the wheel, plays the turn: normally at once.

        But where no other car waits, a driver who may still take the wheel back is given the time to do so. An evening
        does not wait.
        """
        until = self.seat.take_back_until
        if until is None or self.run.special_stage.rally.keeps_seconds or self.seat.run.seats.count() > 1:
            return now
        return max(now, until)


class Post(models.Model):
    """Accepted orders, one step of a turn or all of it. `by` is None when the codriver or the clock gave them. Events
    before any seat plays belong to the first post; it has no orders and no `turn`.

    `key` is the sender's own name for the post: the same key from the same person is the same post. `salt` was sent
    with the orders and is part of every draw that they need. `draws` lists these draws in the form of the record.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="posts")
    number = models.PositiveIntegerField(_("number"))
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, null=True, blank=True, related_name="posts")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    key = models.CharField(max_length=40, blank=True)
    orders = models.JSONField(_("orders"))
    salt = models.CharField(_("salt"), max_length=SALT_LENGTH, blank=True, default="")
    draws: models.JSONField[list[dict[str, Any]], list[dict[str, Any]]] = models.JSONField(_("draws"), default=list)
    at = models.DateTimeField(_("received"))

    class Meta:
        verbose_name = _("post")
        verbose_name_plural = _("posts")
        ordering = ["run", "number"]
        constraints = [
            models.UniqueConstraint(fields=["run", "number"], name="runs_post_number_once_per_run"),
            models.UniqueConstraint(
                fields=["run", "by", "key"], condition=~Q(key=""), name="runs_same_post_plays_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run} post {self.number}"

    @property
    def made_in(self) -> Turn:
        """The turn of a post. Not for the first post of a run, if that has none."""
        assert self.turn is not None
        return self.turn


class Event(models.Model):
    """One thing that happened, in order. Rows are only inserted, and their data never change; applying them in order
    gives the run's state. `only`: the seats that may read it at first, None for everybody. `until`: what opens it to
    all others, "" when it was never hidden. championship.runs.watch.watching decides who may read it now.
    """

    class Until(models.TextChoices):
        PHASE = sealed.PHASE, _("the phase closes")
        OVER = sealed.OVER, _("the run is over")

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="events")
    number = models.PositiveIntegerField(_("number"))
    post = models.ForeignKey(Post, on_delete=models.PROTECT, related_name="events")
    kind = models.CharField(_("kind"), max_length=60)
    data = models.JSONField(_("data"))
    only: ArrayField[list[str] | None, list[str] | None] = ArrayField(
        models.CharField(max_length=SEAT_LENGTH), verbose_name=_("readers"), null=True, blank=True
    )
    until = models.CharField(_("hidden until"), max_length=5, choices=Until.choices, blank=True, default="")

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        ordering = ["run", "number"]
        constraints = [
            models.UniqueConstraint(fields=["run", "number"], name="runs_event_number_once_per_run"),
            models.CheckConstraint(
                condition=Q(only__isnull=True, until="") | Q(only__isnull=False, until__in=["phase", "over"]),
                name="runs_event_open_or_hidden_until_a_moment",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run} event {self.number}: {self.kind}"


class Practice(models.Model):
    """A person learns to drive, alone against the clock, in one practice stage at a time. `skipped` names skipped
    lessons. `ended_at` is set when the driver has finished, has left, or has not played for long.

    `of_week`: the week of the open stage that a guest drives out of competition ("2026-W47"); empty for a practice
    stage with lessons.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="practices")
    rally = models.OneToOneField("rallies.Rally", on_delete=models.PROTECT, related_name="practised")
    skipped = models.JSONField(_("skipped lessons"), default=list)
    of_week = models.CharField(_("week of the open stage"), max_length=8, blank=True, default="", db_default="")
    begun_at = models.DateTimeField(_("begun"))
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)

    class Meta:
        verbose_name = _("practice")
        verbose_name_plural = _("practices")
        ordering = ["-begun_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["person"], condition=Q(ended_at__isnull=True), name="runs_one_practice_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.person}: {self.rally}"

    @property
    def called(self) -> str:
        """What pages call it: the open stage of its week, or practice in a game."""
        if self.of_week or self.rally.game not in catalogue.names():
            return self.rally.title
        return gettext("Practice in %(game)s") % {"game": catalogue.get(self.rally.game)}


class SceneDone(models.Model):
    """A scene of a game's school that a person has done, or "exam" for its passed exam. Guests have such rows too."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="scenes_done")
    game = models.CharField(_("game"), max_length=20)
    scene = models.CharField(_("scene"), max_length=40)
    done_at = models.DateTimeField(_("done"))

    class Meta:
        verbose_name = _("scene done")
        verbose_name_plural = _("scenes done")
        ordering = ["person", "done_at"]
        constraints = [
            models.UniqueConstraint(fields=["person", "game", "scene"], name="runs_scene_done_once"),
        ]

    def __str__(self) -> str:
        return f"{self.person}: {self.game}, {self.scene}"
