"""The rows of a special stage for each entry: its place on the start list, and its result."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _


class StartPlace(models.Model):
    """A line of a stage's start list (O2). `heat`: the number of its heat, where the rally has heats."""

    special_stage = models.ForeignKey("rallies.SpecialStage", on_delete=models.CASCADE, related_name="start_places")
    entry = models.ForeignKey("rallies.Entry", on_delete=models.CASCADE, related_name="start_places")
    position = models.PositiveSmallIntegerField(_("position"))
    heat = models.PositiveSmallIntegerField(_("heat"), null=True, blank=True)

    class Meta:
        app_label = "rallies"
        verbose_name = _("start list place")
        verbose_name_plural = _("start list")
        ordering = ["special_stage", "position"]
        constraints = [
            models.UniqueConstraint(fields=["special_stage", "entry"], name="rallies_entry_starts_once"),
            models.UniqueConstraint(fields=["special_stage", "position"], name="rallies_one_car_per_start"),
            models.CheckConstraint(condition=Q(position__gte=1), name="rallies_start_list_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.position}. {self.entry}"


class StageTime(models.Model):
    """An entry's result on a stage (F2) before penalties.

    `measure` is in the rally's unit. It is None when the game gives no result, or when the game sets the result of a
    retired entry only after all results are in (E7). `rank` orders equal measures. `reason`: why the entry retired.
    `stood_in`: the codriver drove turns for a driver who had missed a deadline or was away. `detail`: data that the
    game needs when all results are in. `car`: the car's luggage. `detail` and `car` are in the game's own format.
    `feats`: what the entry did best, as the game says (engine.contract.FEATS). `at_border`: the result of a stage that
    stewards have shortened; None for a car that has none there. `short_of_border`: the car retired before the border.
    `at_table`: it was driven with the printed game, and people have entered the result.
    """

    special_stage = models.ForeignKey("rallies.SpecialStage", on_delete=models.CASCADE, related_name="times")
    entry = models.ForeignKey("rallies.Entry", on_delete=models.CASCADE, related_name="times")
    measure = models.IntegerField(_("result"), null=True, blank=True)
    rank: models.JSONField[list[int], list[int]] = models.JSONField(_("order among equals"), default=list, blank=True)
    retired = models.BooleanField(_("retired"), default=False)
    reason = models.CharField(_("why it retired"), max_length=80, blank=True)
    stood_in = models.BooleanField(_("the codriver stood in"), default=False, db_default=False)
    detail: models.JSONField[Any, Any] = models.JSONField(_("detail"), default=dict, blank=True)
    car: models.JSONField[Any, Any] = models.JSONField(_("car at the finish"), null=True)
    feats: models.JSONField[list[str], list[str]] = models.JSONField(
        _("feats"), default=list, db_default=models.Value([], models.JSONField()), blank=True
    )
    at_border = models.IntegerField(_("result at the border"), null=True, blank=True)
    short_of_border = models.BooleanField(_("retired before the border"), default=False, db_default=False)
    at_table = models.BooleanField(_("driven at the table"), default=False, db_default=False)
    recorded_at = models.DateTimeField(_("recorded"), auto_now_add=True)

    class Meta:
        app_label = "rallies"
        verbose_name = _("stage time")
        verbose_name_plural = _("stage times")
        ordering = ["special_stage", F("measure").asc(nulls_last=True), "pk"]
        constraints = [
            models.UniqueConstraint(fields=["special_stage", "entry"], name="rallies_one_time_per_stage"),
            models.CheckConstraint(condition=Q(retired=True) | Q(reason=""), name="rallies_a_finisher_did_not_retire"),
        ]

    def __str__(self) -> str:
        return f"{self.entry}: {self.measure}"
