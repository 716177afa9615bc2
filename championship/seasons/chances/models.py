"""The model of chances to win. `seasons.models` imports it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class TitleForecast(models.Model):
    """Who was likely to win a rally or a season after so many of its stages (`done`): the chances in thousandths, by
    driver id, from so many simulations. Exactly one of `championship` and `rally` is set.
    """

    championship = models.ForeignKey(
        "seasons.Championship", on_delete=models.CASCADE, null=True, blank=True, related_name="title_forecasts"
    )
    rally = models.ForeignKey(
        "rallies.Rally", on_delete=models.CASCADE, null=True, blank=True, related_name="title_forecasts"
    )
    done = models.PositiveIntegerField(_("stages driven"))
    at = models.DateTimeField(_("computed"))
    simulations = models.PositiveIntegerField(_("simulations"))
    chances: models.JSONField[dict[str, int], dict[str, int]] = models.JSONField(_("chances to win"))

    class Meta:
        verbose_name = _("forecast of a title")
        verbose_name_plural = _("forecasts of titles")
        ordering = ["done"]
        constraints = [
            models.UniqueConstraint(fields=["championship", "done"], name="seasons_one_forecast_of_a_season"),
            models.UniqueConstraint(fields=["rally", "done"], name="seasons_one_forecast_of_a_rally"),
            models.CheckConstraint(
                condition=Q(championship__isnull=False, rally__isnull=True)
                | Q(championship__isnull=True, rally__isnull=False),
                name="seasons_forecast_of_one_title",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.championship or self.rally}: {self.done}"
