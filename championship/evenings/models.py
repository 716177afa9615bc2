"""What the drivers of a rally are asked in an evening, and what they have answered: it matters only until it is acted
on, then the rows are deleted, and the club's log tells what happened. What people have said beside a run stays.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from championship.accounts.text import one_line
from championship.clubs.moderation_tables import LONGEST_REASON
from championship.rallies.models import Entry, Rally, SpecialStage
from championship.runs.models import Run


class Subject(models.TextChoices):
    """What drivers agree to."""

    MINUTES = "minutes", _("to go on in minutes")
    HOURS = "hours", _("to go on in hours")
    PAUSE = "pause", _("a pause")
    RESUME = "resume", _("to go on after the pause")
    READY = "ready", _("ready")


class Question(models.Model):
    """An organiser has asked the drivers of a rally whether it moves to another pace: one question at a time."""

    rally = models.OneToOneField(Rally, on_delete=models.CASCADE, related_name="pace_question")
    subject = models.CharField(_("subject"), max_length=8, choices=Subject.choices)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(_("asked"))

    class Meta:
        verbose_name = _("question about the pace")
        verbose_name_plural = _("questions about the pace")
        ordering = ["at"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(subject__in=["minutes", "hours"]), name="evenings_question_about_pace"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rally}: {self.get_subject_display()}"


class Agreement(models.Model):
    """The driver of an entry agrees to something."""

    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="agreements")
    subject = models.CharField(_("subject"), max_length=8, choices=Subject.choices)
    at = models.DateTimeField(_("agreed"))

    class Meta:
        verbose_name = _("agreement")
        verbose_name_plural = _("agreements")
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["entry", "subject"], name="evenings_agreed_once"),
        ]

    def __str__(self) -> str:
        return f"{self.entry}: {self.get_subject_display()}"


LONGEST_WORD = 200
"""The longest words beside a run, in characters."""


class Phrase(models.TextChoices):
    """Words that are said by one press. The keys are stored, so every reader has them in their own language. A club's
    archive contains the keys: they must not change.
    """

    HELLO = "hello", _("Hello, everybody!")
    WELL_DRIVEN = "well driven", _("Well driven!")
    BAD_LUCK = "bad luck", _("Bad luck.")
    CLOSE = "close", _("That was close!")
    THINKING = "thinking", _("I need a moment.")
    YOUR_TURN = "your turn", _("Your turn!")
    BACK_SOON = "back soon", _("I am back in a minute.")
    SORRY = "sorry", _("Sorry!")
    THANKS = "thanks", _("Thank you for the drive!")


class Circle(models.TextChoices):
    """Among whom something is said beside a run."""

    DRIVERS = "drivers", _("drivers")
    SPECTATORS = "spectators", _("spectators")


class Word(models.Model):
    """What somebody has said beside a run, in their own words or by a phrase. `turn`: how many turns of the run were
    over then, as everybody knew.

    Hidden words are shown to their author only, with the reason.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="words")
    circle = models.CharField(_("among"), max_length=10, choices=Circle.choices)
    turn = models.PositiveIntegerField(_("turn"))
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="words_beside_runs")
    text = models.CharField(_("words"), max_length=LONGEST_WORD, blank=True, validators=[one_line])
    phrase = models.CharField(_("phrase"), max_length=12, blank=True, choices=Phrase.choices)
    at = models.DateTimeField(_("said"))
    hidden_at = models.DateTimeField(_("hidden"), null=True)
    hidden_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    hidden_reason = models.CharField(_("why it was hidden"), max_length=LONGEST_REASON, blank=True)

    class Meta:
        verbose_name = _("words beside a run")
        verbose_name_plural = _("words beside runs")
        ordering = ["pk"]
        indexes = [
            models.Index(fields=["run", "circle"], name="evenings_words_of_run"),
            models.Index(fields=["author", "at"], name="evenings_words_by_author"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=(Q(text="") & ~Q(phrase="")) | (~Q(text="") & Q(phrase="")),
                name="evenings_text_or_phrase",
            ),
            models.CheckConstraint(condition=Q(circle__in=["drivers", "spectators"]), name="evenings_known_circle"),
            models.CheckConstraint(
                condition=Q(hidden_at=None, hidden_reason="") | (Q(hidden_at__isnull=False) & ~Q(hidden_reason="")),
                name="evenings_hidden_for_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return str(self.author)

    @property
    def says(self) -> str:
        """What was said, a phrase in the reader's language."""
        return self.text or str(self.get_phrase_display())


class Stop(models.Model):
    """When an evening ends for sure, and what happens to cars on the road then. `done_at`: it has happened. `border`:
    the split at which the results were taken; None where cars drive on, or there was no split that all had passed.
    """

    class How(models.TextChoices):
        SPLIT = "split", _("It ends there: the results are those at the last split that all cars have passed")
        HOURS = "hours", _("The cars stay where they are, and all goes on in hours")

    rally = models.OneToOneField(Rally, on_delete=models.CASCADE, related_name="evening_stop")
    at = models.DateTimeField(_("at"))
    how = models.CharField(_("cars on the road"), max_length=8, choices=How.choices)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    done_at = models.DateTimeField(_("done"), null=True)
    stage = models.ForeignKey(SpecialStage, on_delete=models.SET_NULL, null=True, related_name="+")
    border = models.PositiveSmallIntegerField(_("split"), null=True)

    class Meta:
        verbose_name = _("end of an evening")
        verbose_name_plural = _("ends of evenings")
        ordering = ["at"]
        indexes = [models.Index(fields=["at"], condition=Q(done_at=None), name="evenings_stops_to_come")]
        constraints = [
            models.CheckConstraint(condition=Q(how__in=["split", "hours"]), name="evenings_known_stop"),
        ]

    def __str__(self) -> str:
        return f"{self.rally}: {self.at:%H:%M}"

    @property
    def struck(self) -> bool:
        """Whether the stage counts for nothing, because no split was passed by all."""
        return self.done_at is not None and self.stage_id is not None and self.border is None


class CheckInHour(models.Model):
    """By when the drivers of a rally check in for an evening. `told_at`: when they were told of it. `done_at`: the rule
    about who has not checked in was applied.
    """

    rally = models.OneToOneField(Rally, on_delete=models.CASCADE, related_name="check_in_hour")
    at = models.DateTimeField(_("check-in until"))
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    told_at = models.DateTimeField(_("told"), null=True)
    done_at = models.DateTimeField(_("done"), null=True)

    class Meta:
        verbose_name = _("hour of check-in")
        verbose_name_plural = _("hours of check-in")
        ordering = ["at"]
        indexes = [
            models.Index(fields=["at"], condition=Q(done_at=None), name="evenings_hours_to_come"),
        ]

    def __str__(self) -> str:
        return f"{self.rally}: {self.at:%H:%M}"


class CheckIn(models.Model):
    """Whether the driver of an entry has checked in for the evening, and what the rule did where they had not. A row
    without `at` has only that. `at` may be later than the hour: a late-comer.
    """

    class Outcome(models.TextChoices):
        CODRIVER = "codriver", _("the codriver drives")
        OUT = "out", _("left out")

    entry = models.OneToOneField(Entry, on_delete=models.CASCADE, related_name="evening_check_in")
    at = models.DateTimeField(_("checked in"), null=True)
    outcome = models.CharField(_("by the rule"), max_length=8, choices=Outcome.choices, blank=True)

    class Meta:
        verbose_name = _("check-in for an evening")
        verbose_name_plural = _("check-ins for evenings")
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=Q(outcome__in=["", "codriver", "out"]), name="evenings_known_outcome"),
            models.CheckConstraint(
                condition=Q(at__isnull=False) | ~Q(outcome=""), name="evenings_check_in_says_something"
            ),
        ]

    def __str__(self) -> str:
        return str(self.entry)


class Unseen(models.Model):
    """A person does not want to be shown as here: in one rally, or everywhere where `rally` is None."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    rally = models.ForeignKey(Rally, on_delete=models.CASCADE, null=True, related_name="+")

    class Meta:
        verbose_name = _("wish not to be shown as here")
        verbose_name_plural = _("wishes not to be shown as here")
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["person", "rally"], nulls_distinct=False, name="evenings_unseen_once"),
        ]

    def __str__(self) -> str:
        return str(self.person)


class DriverPause(models.Model):
    """A pause of an evening that drivers have begun. `entry`: whose driver asked first; it counts for them. The clock
    ends it at `until`. `done_at`: the clock has looked at it then, or somebody has ended it before.
    """

    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="driver_pauses")
    at = models.DateTimeField(_("began"))
    until = models.DateTimeField(_("ends at"))
    done_at = models.DateTimeField(_("done"), null=True)

    class Meta:
        verbose_name = _("pause begun by drivers")
        verbose_name_plural = _("pauses begun by drivers")
        ordering = ["at", "pk"]
        indexes = [
            models.Index(fields=["until"], condition=Q(done_at=None), name="evenings_pauses_to_end"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(until__gt=models.F("at")), name="evenings_pause_has_a_length"),
        ]

    def __str__(self) -> str:
        return f"{self.entry}: {self.at:%H:%M}"
