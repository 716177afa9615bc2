"""Time that does not count for anybody: pauses of a rally, and when the clock itself stood still."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _


class ControlSweep(models.Model):
    """When the clock last went over the time controls: one row, by which an outage is noticed."""

    name = models.CharField(max_length=20, primary_key=True)
    at = models.DateTimeField(_("last at"))

    class Meta:
        app_label = "rallies"
        verbose_name = _("sweep of time controls")
        verbose_name_plural = _("sweeps of time controls")

    def __str__(self) -> str:
        return self.name


class Pause(models.Model):
    """Time that did not count for a rally, over by now. Who paused it is in the log."""

    rally = models.ForeignKey("rallies.Rally", on_delete=models.CASCADE, related_name="pauses")
    began_at = models.DateTimeField(_("began"))
    ended_at = models.DateTimeField(_("ended"))
    reason = models.CharField(_("reason"), max_length=200)

    class Meta:
        app_label = "rallies"
        verbose_name = _("pause")
        verbose_name_plural = _("pauses")
        ordering = ["rally", "began_at"]
        constraints = [
            models.CheckConstraint(condition=Q(ended_at__gte=F("began_at")), name="rallies_pause_ends_after_its_start"),
        ]

    def __str__(self) -> str:
        return self.reason
