"""Models of the stored ledgers: what made the result of each car, by decisions, chance and all else.

A ledger names every draw and the best way beside the own, so it is computed only when the draws of its run may be shown
(play/keeping_ledgers.py). It follows from the events: a row that is lost is computed again.
"""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from engine.contract import Measure


class KeptLedger(models.Model):
    """The ledger of a run that is over. `version`: that of the game's ledgers when it was computed; with another one it
    is computed again. `error`: the standard error of one value in hundredths, 0 where values are computed. `unit`,
    `better`: what the amounts count, and whether "fewest" or "most" is better; "" for the measure of the results.
    `ideal`: the places of the ideal drive, none where the game has none. `too_long`: the last try took too much time or
    memory, so there are no amounts.
    """

    run = models.OneToOneField("runs.Run", on_delete=models.CASCADE, related_name="ledger")
    version = models.CharField(_("version of the ledger"), max_length=20)
    error = models.PositiveIntegerField(_("standard error"), default=0)
    unit = models.CharField(_("unit"), max_length=20, blank=True, default="")
    better = models.CharField(_("what is better"), max_length=6, blank=True, default="", db_default="")
    ideal: models.JSONField[list[str], list[str]] = models.JSONField(
        _("ideal drive"), default=list, db_default=models.Value([], models.JSONField())
    )
    too_long = models.BooleanField(_("the run is too long"), default=False)
    computed_at = models.DateTimeField(_("computed"))

    class Meta:
        verbose_name = _("ledger")
        verbose_name_plural = _("ledgers")

    def __str__(self) -> str:
        return f"{self.run}: {self.version}"

    def counted_in(self, measure: Measure) -> Measure:
        """Return what the amounts count. `measure` is that of the results."""
        return Measure(self.unit, "fewest" if self.better == "fewest" else "most") if self.better else measure


class KeptAccounts(models.Model):
    """The ledger of one car, in hundredths: `result` is `start` plus the three accounts, exactly. `bookings` has a list
    for each booking, in order: turn, event, account, amount, kind, facts.
    """

    ledger = models.ForeignKey(KeptLedger, on_delete=models.CASCADE, related_name="cars")
    seat = models.OneToOneField("runs.Seat", on_delete=models.CASCADE, related_name="accounts")
    start = models.IntegerField(_("expected at the start"))
    driving = models.IntegerField(_("decisions"))
    chance = models.IntegerField(_("chance"))
    traffic = models.IntegerField(_("all else"))
    result = models.IntegerField(_("result"))
    bookings = models.JSONField(_("bookings"))

    class Meta:
        verbose_name = _("accounts of a car")
        verbose_name_plural = _("accounts of cars")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(
                    result=models.F("start") + models.F("driving") + models.F("chance") + models.F("traffic")
                ),
                name="runs_accounts_add_up",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.seat}: {self.result}"


class Forecast(models.Model):
    """Who was likely to win at a moment of a stage: the chances by entry id, in thousandths, of the stage and of the
    rally, from so many simulations. `posts`: how many posts the runs of the stage had.
    """

    special_stage = models.ForeignKey("rallies.SpecialStage", on_delete=models.CASCADE, related_name="forecasts")
    posts = models.PositiveIntegerField(_("posts"))
    at = models.DateTimeField(_("computed"))
    simulations = models.PositiveSmallIntegerField(_("simulations"))
    stage: models.JSONField[dict[str, int], dict[str, int]] = models.JSONField(_("chances to win the stage"))
    rally: models.JSONField[dict[str, int], dict[str, int]] = models.JSONField(_("chances to win the rally"))

    class Meta:
        verbose_name = _("forecast")
        verbose_name_plural = _("forecasts")
        ordering = ["special_stage", "posts"]
        constraints = [
            models.UniqueConstraint(fields=["special_stage", "posts"], name="runs_one_forecast_for_each_post"),
        ]

    def __str__(self) -> str:
        return f"{self.special_stage}: {self.posts}"
