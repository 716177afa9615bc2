"""Stages being driven: runs, the places in them, what drivers sent, the events that came of it, and who is
waited for.
"""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from championship.keys import new_key
from championship.rallies.models import Entry
from engine import chance

PLAN_LENGTH = 600
"""Letters of the longest plan that anybody lays, with room to spare."""


def new_secret() -> bytes:
    """The 256 bits from which all chance of a run is drawn."""
    return secrets.token_bytes(chance.SECRET_BYTES)


class Seal(models.Model):
    """The secret from which all chance of a stage follows, promised by its SHA-256 from the day the rally stands."""

    special_stage = models.OneToOneField("rallies.SpecialStage", on_delete=models.CASCADE, related_name="seal")
    secret = models.BinaryField(_("secret"), default=new_secret, editable=False)
    commitment = models.CharField(_("SHA-256 of the secret"), max_length=64)
    sealed_at = models.DateTimeField(_("sealed"), auto_now_add=True)

    class Meta:
        verbose_name = _("seal")
        verbose_name_plural = _("seals")

    def __str__(self) -> str:
        return self.commitment


class Phrase(models.Model):
    """What an entry adds to the chance of a stage before it opens, so that nobody can have chosen the secret to
    suit.
    """

    special_stage = models.ForeignKey("rallies.SpecialStage", on_delete=models.CASCADE, related_name="phrases")
    entry = models.ForeignKey("rallies.Entry", on_delete=models.CASCADE, related_name="phrases")
    text = models.CharField(_("phrase"), max_length=80)

    class Meta:
        verbose_name = _("phrase")
        verbose_name_plural = _("phrases")
        ordering = ["special_stage", "entry"]
        constraints = [
            models.UniqueConstraint(fields=["special_stage", "entry"], name="runs_one_phrase_per_entry_and_stage"),
        ]

    def __str__(self) -> str:
        return self.text


class Run(models.Model):
    """One special stage driven by one group of entries. `state` is a snapshot; the events are the truth.

    `version` counts what was accepted, so that a page shown before can be told from the present one; `drawn`
    the draws of chance so far; `stage`, `entrants`, `options` are what the engine was given at the start.
    The `secret` follows from the stage's seal; `common` too, where all runs of the stage share their dice.
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
    secret = models.BinaryField(_("secret"), default=new_secret, editable=False)
    commitment = models.CharField(_("SHA-256 of the secret"), max_length=64)
    common: models.BinaryField[bytes | None, bytes | None] = models.BinaryField(
        _("secret of shared dice"), null=True, blank=True, editable=False
    )
    phrases = models.JSONField(_("phrases"), default=list)
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


class Place(models.Model):
    """An entry's place in a run. `driver` is its name in the engine: the start number.

    `codriver_since`: when the codriver took the wheel for the rest of the stage, after a missed deadline.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="places")
    special_stage = models.ForeignKey("rallies.SpecialStage", on_delete=models.PROTECT, related_name="+")
    entry = models.ForeignKey("rallies.Entry", on_delete=models.PROTECT, related_name="places")
    driver = models.CharField(_("driver"), max_length=8)
    position = models.PositiveSmallIntegerField(_("position"))
    codriver_since = models.DateTimeField(_("codriver at the wheel since"), null=True, blank=True)

    class Meta:
        verbose_name = _("place")
        verbose_name_plural = _("places")
        ordering = ["run", "position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "position"], name="runs_one_car_per_position"),
            models.UniqueConstraint(fields=["run", "driver"], name="runs_driver_once_per_run"),
            models.UniqueConstraint(fields=["special_stage", "entry"], name="runs_entry_in_one_run_per_stage"),
        ]

    def __str__(self) -> str:
        return str(self.entry)

    @property
    def played(self) -> bool:
        """Whether the codriver drives this car: handed over by its driver, or for the rest of this stage."""
        return self.entry.driven_by != Entry.DrivenBy.PERSON or self.codriver_since is not None


class Turn(models.Model):
    """A driver's turn, numbered through the run: who is waited for, since when, until when.

    `made_before` counts the driver's own turns before it, as the engine does. The deadline comes when
    `left_seconds` have passed since `counted_from`, counted by `terms` (services/timing.py); `reasons` say what
    was not counted. `stands_in`: what the codriver does at the deadline is no miss. `missed`, `done`: the driver
    let the deadline pass, and what the clock did then. `claimed_at`: when a sweep last gave it to a worker.
    `reminded_of`: the deadline of which the driver was last reminded. `given`: how often the driver was given a
    deadline to be told of: the turn's first one, one after a hand-over, one that moved after its reminder.
    `nudged_at`: when an organiser last reminded the driver.
    """

    class Done(models.TextChoices):
        DRIVEN = "driven", _("The codriver drove a careful turn")
        PENALISED = "penalised", _("The codriver drove a careful turn, with a penalty")
        RETIRED = "retired", _("The car was retired")
        STOOD_IN = "stood in", _("The codriver stood in")

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="turns")
    number = models.PositiveIntegerField(_("number"))
    place = models.ForeignKey(Place, on_delete=models.CASCADE, related_name="turns")
    made_before = models.PositiveIntegerField(_("turns made before"))
    since = models.DateTimeField(_("waiting since"))
    deadline = models.DateTimeField(_("deadline"))
    remind_at = models.DateTimeField(_("reminder"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)
    missed = models.BooleanField(_("deadline missed"), default=False)
    done = models.CharField(_("done by the clock"), max_length=10, choices=Done.choices, blank=True)
    counted_from = models.DateTimeField(_("counted from"), null=True, blank=True)
    left_seconds = models.PositiveIntegerField(_("seconds left then"), null=True, blank=True)
    terms: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("how time is counted"), default=dict)
    reasons: models.JSONField[list[str], list[str]] = models.JSONField(_("not counted"), default=list)
    stands_in = models.BooleanField(_("the codriver stands in"), default=False)
    claimed_at = models.DateTimeField(_("given to a worker"), null=True, blank=True)
    reminded_of = models.DateTimeField(_("reminded of the deadline"), null=True, blank=True)
    given = models.PositiveIntegerField(_("deadlines given"), default=1)
    nudged_at = models.DateTimeField(_("reminded by an organiser"), null=True, blank=True)

    class Meta:
        verbose_name = _("turn")
        verbose_name_plural = _("turns")
        ordering = ["run", "number"]
        constraints = [
            models.UniqueConstraint(fields=["run", "number"], name="runs_turn_number_once_per_run"),
            models.UniqueConstraint(
                fields=["run", "place"], condition=Q(ended_at__isnull=True), name="runs_one_open_turn_per_place"
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
            models.Index(fields=["place"], condition=Q(missed=True), name="runs_turns_missed"),
        ]

    def __str__(self) -> str:
        return f"{self.run} #{self.number}"

    def overdue(self, now: datetime) -> bool:
        """Whether the driver has let the deadline pass."""
        return self.ended_at is None and self.deadline <= now


class Sweep(models.Model):
    """When the clock last went over the deadlines: one row, by which an outage is noticed and a lost beat found."""

    name = models.CharField(max_length=20, primary_key=True)
    at = models.DateTimeField(_("last at"))

    class Meta:
        verbose_name = _("sweep")
        verbose_name_plural = _("sweeps")

    def __str__(self) -> str:
        return self.name


class Post(models.Model):
    """Orders that were accepted, one step or a whole turn. `by` is None where the codriver or the clock gave them.

    `key` is the sender's own name for the post: the same key from the same person is the same post.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="posts")
    number = models.PositiveIntegerField(_("number"))
    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="posts")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    key = models.CharField(max_length=40, blank=True)
    orders = models.JSONField(_("orders"))
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


class Event(models.Model):
    """What happened, in order. Rows are only ever added; folding them gives the run's state."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="events")
    number = models.PositiveIntegerField(_("number"))
    post = models.ForeignKey(Post, on_delete=models.PROTECT, related_name="events")
    kind = models.CharField(_("kind"), max_length=20)
    data = models.JSONField(_("data"))

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        ordering = ["run", "number"]
        constraints = [
            models.UniqueConstraint(fields=["run", "number"], name="runs_event_number_once_per_run"),
        ]

    def __str__(self) -> str:
        return f"{self.run} event {self.number}: {self.kind}"


class Draft(models.Model):
    """A plan that a driver has begun to lay and not yet handed in, with the orders under which it is to be rolled: kept
    here so that what is begun on the phone is finished at the desk. `version`: the run's when it was laid last.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="drafts")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    plan = models.CharField(_("plan"), max_length=PLAN_LENGTH, blank=True)
    orders: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("standing orders"), default=dict)
    version = models.PositiveIntegerField(_("version of the run"))
    updated_at = models.DateTimeField(_("changed"))

    class Meta:
        verbose_name = _("draft")
        verbose_name_plural = _("drafts")
        constraints = [
            models.UniqueConstraint(fields=["run", "person"], name="runs_one_draft_per_run_and_person"),
        ]

    def __str__(self) -> str:
        return self.plan


class Practice(models.Model):
    """Somebody learns to drive, alone against the clock, one practice stage at a time. `skipped` names the lessons that
    were left out; `ended_at` is set when the driver is in, has left, or was not seen for long.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="practices")
    rally = models.OneToOneField("rallies.Rally", on_delete=models.PROTECT, related_name="practised")
    skipped = models.JSONField(_("skipped lessons"), default=list)
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


class SentAhead(models.Model):
    """A plan that a driver has sent before the turn came, with the orders under which it is rolled: it is driven when
    the turn opens, unless what it meets (`outlook`) has changed. `version`: the run's when it was sent. `person`: who
    sent it; somebody who takes the car over does not see it.

    A plan that was not driven says why: the engine's template and its values, rule, and move (from 1).
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waits for the turn")
        DRIVEN = "driven", _("driven")
        NOT_DRIVEN = "not driven", _("not driven")
        WITHDRAWN = "withdrawn", _("withdrawn")

    place = models.ForeignKey(Place, on_delete=models.CASCADE, related_name="sent_ahead")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    turn = models.ForeignKey(Turn, on_delete=models.SET_NULL, null=True, blank=True, related_name="sent_ahead")
    plan = models.CharField(_("plan"), max_length=PLAN_LENGTH)
    orders: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("standing orders"))
    outlook = models.JSONField(_("what it meets"))
    version = models.PositiveIntegerField(_("version of the run"))
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.WAITING)
    reason = models.CharField(_("reason"), max_length=400, blank=True)
    values = models.JSONField(default=dict)
    rule = models.CharField(_("rule"), max_length=8, blank=True)
    move = models.PositiveSmallIntegerField(_("move"), null=True, blank=True)
    sent_at = models.DateTimeField(_("sent"))
    settled_at = models.DateTimeField(_("settled"), null=True, blank=True)

    class Meta:
        verbose_name = _("plan sent ahead")
        verbose_name_plural = _("plans sent ahead")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["place"], condition=Q(state="waiting"), name="runs_one_plan_ahead_per_place"
            ),
            models.CheckConstraint(
                condition=Q(state="waiting", settled_at__isnull=True)
                | (~Q(state="waiting") & Q(settled_at__isnull=False)),
                name="runs_plan_ahead_settled_at_a_moment",
            ),
        ]

    def __str__(self) -> str:
        return self.plan

    @property
    def why(self) -> str:
        """Why it was not driven, in the language of whoever reads."""
        said = gettext(self.reason) % self.values if self.reason else ""
        return gettext("Move %(move)d: %(said)s") % {"move": self.move, "said": said} if self.move else said
