"""Models of the stewards' room: protests, decisions and appeals. A decision is never changed or deleted: another
decision undoes it and refers to it.
"""

from __future__ import annotations

from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from championship.accounts.text import shortened
from championship.platform import clock
from championship.platform.keys import new_key
from championship.rallies.results.rulings import OfficialAct

DEFAULT_WINDOW = 48
DEFAULT_ANSWER = 24
MOST_POINTS = 12
"""Penalty points of one decision."""


class Terms(models.Model):
    """For how many hours a rally's drivers may protest after a stage is over, and appeal after a decision. The driver
    whom a protest is against has `answer_hours` hours for a statement; stewards may decide earlier once it is there.
    """

    rally = models.OneToOneField("rallies.Rally", on_delete=models.CASCADE, related_name="terms")
    protest_hours = models.PositiveSmallIntegerField(
        _("hours to protest"), default=DEFAULT_WINDOW, validators=[MaxValueValidator(720)]
    )
    appeal_hours = models.PositiveSmallIntegerField(
        _("hours to appeal"), default=DEFAULT_WINDOW, validators=[MaxValueValidator(720)]
    )
    answer_hours = models.PositiveSmallIntegerField(
        _("hours for a statement"),
        default=DEFAULT_ANSWER,
        db_default=DEFAULT_ANSWER,
        validators=[MaxValueValidator(720)],
    )

    class Meta:
        verbose_name = _("stewards' terms")
        verbose_name_plural = _("stewards' terms")

    def __str__(self) -> str:
        return str(self.rally)


class Protest(models.Model):
    """A driver's request to the stewards. `against` is the entry it is about, if it is about one. In an appeal,
    `appealed` is the decision that the driver does not accept, or `adjustment` the points by hand. `turn` is the turn
    that it is about, if it is about one.
    """

    class Status(models.TextChoices):
        OPEN = "open", pgettext_lazy("state of a protest", "Open")
        DECIDED = "decided", _("Decided")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    key = models.CharField(max_length=24, unique=True, default=new_key, editable=False)
    rally = models.ForeignKey("rallies.Rally", on_delete=models.PROTECT, related_name="protests")
    special_stage = models.ForeignKey(
        "rallies.SpecialStage", on_delete=models.PROTECT, null=True, blank=True, related_name="protests"
    )
    by = models.ForeignKey("rallies.Entry", on_delete=models.PROTECT, related_name="protests")
    against = models.ForeignKey(
        "rallies.Entry", on_delete=models.PROTECT, null=True, blank=True, related_name="protests_against"
    )
    appealed = models.OneToOneField(
        "stewards.Decision", on_delete=models.PROTECT, null=True, blank=True, related_name="appeal"
    )
    adjustment = models.OneToOneField(
        "seasons.Adjustment", on_delete=models.SET_NULL, null=True, blank=True, related_name="appeal"
    )
    turn = models.ForeignKey("runs.Turn", on_delete=models.SET_NULL, null=True, blank=True, related_name="protests")
    text = models.TextField(_("what happened"), max_length=4000)
    status = models.CharField(_("status"), max_length=10, choices=Status.choices, default=Status.OPEN)
    filed_at = models.DateTimeField(_("filed"), default=clock.now, editable=False)

    class Meta:
        verbose_name = _("protest")
        verbose_name_plural = _("protests")
        ordering = ["-filed_at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="stewards_protest_says_something"),
            models.CheckConstraint(
                condition=Q(against__isnull=True) | ~Q(against=F("by")), name="stewards_protest_against_another"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.by}: {shortened(self.text, 60)}"

    def get_absolute_url(self) -> str:
        return reverse("stewards:protest", args=[self.key])

    @property
    def is_appeal(self) -> bool:
        """Whether it is against a decision, or against points by hand."""
        return self.appealed_id is not None or self.adjustment_id is not None


class Decision(OfficialAct):
    """A decision of stewards with its reasons: public, in force at once. Rows are only inserted.

    `entry` is the entry that it concerns. `points`: the penalty points that its driver gets in the season. `amount` is
    that of a penalty (below zero: a bonus), the result set by hand, or the border to which a stage is shortened,
    counted from 1. `special_stage`: what it is about, or what is struck out or shortened. `undoes` is the earlier
    decision that no longer holds. The effect on the classification is in the row to which it refers.
    """

    class Kind(models.TextChoices):
        NO_ACTION = "no action", _("No further action")
        PENALTY = "penalty", _("Penalty or bonus")
        REPRIMAND = "reprimand", _("Reprimand")
        EXCLUSION = "exclusion", _("Exclusion")
        STAGE_TIME = "stage time", _("Result of a stage set by hand")
        STRUCK = "struck", _("A stage is struck out")
        SHORTENED = "shortened", _("A stage is shortened: the results on the way count")
        REVERSAL = "reversal", _("An earlier decision no longer holds")

    key = models.CharField(max_length=24, unique=True, default=new_key, editable=False)
    rally = models.ForeignKey("rallies.Rally", on_delete=models.PROTECT, related_name="decisions")
    number = models.PositiveSmallIntegerField(_("number"))
    protest = models.OneToOneField(Protest, on_delete=models.PROTECT, null=True, blank=True, related_name="decision")
    kind = models.CharField(_("decision"), max_length=12, choices=Kind.choices)
    entry = models.ForeignKey(
        "rallies.Entry", on_delete=models.PROTECT, null=True, blank=True, related_name="decisions"
    )
    special_stage = models.ForeignKey(
        "rallies.SpecialStage", on_delete=models.PROTECT, null=True, blank=True, related_name="decisions"
    )
    amount = models.IntegerField(_("amount"), null=True, blank=True)
    points = models.PositiveSmallIntegerField(
        _("penalty points"), default=0, db_default=0, validators=[MaxValueValidator(MOST_POINTS)]
    )
    text = models.TextField(_("reasons"), max_length=4000)
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, blank=True, related_name="undone_by")
    penalty = models.OneToOneField("rallies.Penalty", on_delete=models.PROTECT, null=True, related_name="decision")
    exclusion = models.OneToOneField("rallies.Exclusion", on_delete=models.PROTECT, null=True, related_name="decision")
    time_by_hand = models.OneToOneField(
        "rallies.TimeByHand", on_delete=models.PROTECT, null=True, related_name="decision"
    )
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(_("decided"), default=clock.now, editable=False)

    class Meta:
        verbose_name = _("decision")
        verbose_name_plural = _("decisions")
        ordering = ["-at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["rally", "number"], name="stewards_decision_number_once"),
            models.CheckConstraint(condition=~Q(text=""), name="stewards_decision_has_reasons"),
            models.CheckConstraint(
                condition=Q(kind="reversal", undoes__isnull=False) | (~Q(kind="reversal") & Q(undoes__isnull=True)),
                name="stewards_reversal_names_a_decision",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["no action", "struck", "shortened", "reversal"]) | Q(entry__isnull=False),
                name="stewards_decision_concerns_an_entry",
            ),
            models.CheckConstraint(
                condition=Q(points=0) | Q(points__lte=MOST_POINTS, entry__isnull=False),
                name="stewards_points_for_an_entry",
            ),
            models.CheckConstraint(
                condition=~Q(kind="stage time") | Q(special_stage__isnull=False, amount__isnull=False),
                name="stewards_time_by_hand_is_of_a_stage",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rally} {self.number}"

    def get_absolute_url(self) -> str:
        return reverse("stewards:room", args=[self.rally.key]) + f"#decision-{self.number}"


class Statement(models.Model):
    """What the driver whom a protest is against says to it. One for each protest; it is never changed."""

    protest = models.OneToOneField(Protest, on_delete=models.PROTECT, related_name="statement")
    by = models.ForeignKey("rallies.Entry", on_delete=models.PROTECT, related_name="statements")
    text = models.TextField(_("statement"), max_length=4000)
    at = models.DateTimeField(_("given"), default=clock.now, editable=False)

    class Meta:
        verbose_name = _("statement")
        verbose_name_plural = _("statements")
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="stewards_statement_says_something")]

    def __str__(self) -> str:
        return f"{self.by}: {shortened(self.text, 60)}"


class PointsRule(models.Model):
    """What penalty points mean in a season: a driver who reaches `ban_at` of them, or a multiple, sits out the next
    `rounds` rounds.
    """

    championship = models.OneToOneField("seasons.Championship", on_delete=models.CASCADE, related_name="points_rule")
    ban_at = models.PositiveSmallIntegerField(_("penalty points for a ban"))
    rounds = models.PositiveSmallIntegerField(_("rounds to sit out"), default=1)

    class Meta:
        verbose_name = _("rule of penalty points")
        verbose_name_plural = _("rules of penalty points")
        constraints = [
            models.CheckConstraint(
                condition=Q(ban_at__gte=1, ban_at__lte=100, rounds__gte=1, rounds__lte=20),
                name="stewards_ban_after_1_to_100_points",
            )
        ]

    def __str__(self) -> str:
        return str(self.championship)
