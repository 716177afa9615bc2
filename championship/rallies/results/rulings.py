"""Rulings of officials about an entry's result: penalties, exclusions, and results set by hand.

A ruling is never deleted. `lifted_at` is set on one that does not count any more.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from championship.platform import clock


class OfficialAct(models.Model):
    """An act of an official. It records whether its author drove in the rally at that moment (impartiality.py)."""

    author_drives = models.BooleanField(_("its author drives in the rally"), default=False, editable=False)

    class Meta:
        abstract = True


class Penalty(OfficialAct):
    """An amount in the rally's unit that worsens an entry's result; a negative amount is a bonus.

    With `special_stage` it counts for the result of that stage, else for the total. An automatic penalty for a missed
    deadline has no `given_by`, and `missed_turn` is the number of the turn.
    """

    rally = models.ForeignKey("rallies.Rally", on_delete=models.CASCADE, related_name="penalties")
    entry = models.ForeignKey("rallies.Entry", on_delete=models.CASCADE, related_name="penalties")
    special_stage = models.ForeignKey(
        "rallies.SpecialStage", on_delete=models.CASCADE, null=True, blank=True, related_name="penalties"
    )
    amount = models.IntegerField(_("amount"))
    reason = models.CharField(_("reason"), max_length=200)
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    missed_turn = models.PositiveIntegerField(_("missed turn"), null=True, blank=True)
    at = models.DateTimeField(_("given"), default=clock.now, editable=False)
    lifted_at = models.DateTimeField(_("lifted"), null=True, blank=True)

    class Meta:
        app_label = "rallies"
        verbose_name = _("penalty")
        verbose_name_plural = _("penalties")
        ordering = ["rally", "at", "pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(amount=0), name="rallies_penalty_is_not_nothing"),
            models.CheckConstraint(condition=~Q(reason=""), name="rallies_penalty_has_a_reason"),
            models.CheckConstraint(
                condition=Q(given_by__isnull=False) | Q(missed_turn__isnull=False),
                name="rallies_penalty_by_somebody_or_the_clock",
            ),
            models.UniqueConstraint(
                fields=["special_stage", "entry", "missed_turn"],
                condition=Q(missed_turn__isnull=False),
                name="rallies_one_penalty_per_missed_turn",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry}: {self.amount:+d}"

    @property
    def reason_in_words(self) -> str:
        """The reason. That of an automatic penalty is in the reader's language."""
        if self.missed_turn is None:
            return self.reason
        return gettext("The deadline of turn %(number)d was missed") % {"number": self.missed_turn}


class Exclusion(OfficialAct):
    """The exclusion of an entry from the classification. Its results stay visible."""

    entry = models.ForeignKey("rallies.Entry", on_delete=models.PROTECT, related_name="exclusions")
    reason = models.CharField(_("reason"), max_length=200)
    given_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(_("given"), default=clock.now, editable=False)
    lifted_at = models.DateTimeField(_("lifted"), null=True, blank=True)

    class Meta:
        app_label = "rallies"
        verbose_name = _("exclusion")
        verbose_name_plural = _("exclusions")
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["entry"], condition=Q(lifted_at__isnull=True), name="rallies_excluded_once"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="rallies_exclusion_has_a_reason"),
        ]

    def __str__(self) -> str:
        return str(self.entry)


class TimeByHand(OfficialAct):
    """A stage result that officials have set instead of the driven one. The entry then does not count as retired."""

    special_stage = models.ForeignKey("rallies.SpecialStage", on_delete=models.PROTECT, related_name="times_by_hand")
    entry = models.ForeignKey("rallies.Entry", on_delete=models.PROTECT, related_name="times_by_hand")
    measure = models.IntegerField(_("result"))
    reason = models.CharField(_("reason"), max_length=200)
    given_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(_("given"), default=clock.now, editable=False)
    lifted_at = models.DateTimeField(_("lifted"), null=True, blank=True)

    class Meta:
        app_label = "rallies"
        verbose_name = _("stage time set by hand")
        verbose_name_plural = _("stage times set by hand")
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["special_stage", "entry"],
                condition=Q(lifted_at__isnull=True),
                name="rallies_one_time_by_hand_per_stage",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="rallies_time_by_hand_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.entry}: {self.measure}"


class PenaltyWithdrawal(OfficialAct):
    """The withdrawal of a penalty or bonus, with the reason. The penalty stays visible, with `lifted_at` set."""

    penalty = models.OneToOneField("rallies.Penalty", on_delete=models.PROTECT, related_name="withdrawal")
    reason = models.CharField(_("reason"), max_length=200)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(_("withdrawn"))

    class Meta:
        app_label = "rallies"
        verbose_name = _("withdrawal of a penalty")
        verbose_name_plural = _("withdrawals of penalties")
        ordering = ["at", "pk"]
        constraints = [models.CheckConstraint(condition=~Q(reason=""), name="rallies_withdrawal_has_a_reason")]

    def __str__(self) -> str:
        return str(self.penalty)
