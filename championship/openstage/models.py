"""Which rally is the open stage of which week. Everything else about it is in the tables of rallies and runs."""

from __future__ import annotations

from datetime import date, timedelta

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from championship.rallies.models import Rally


class Week(models.Model):
    """A week that has an open stage, beginning on its Monday, in UTC."""

    monday = models.DateField(_("Monday"), unique=True)
    rally = models.OneToOneField(Rally, on_delete=models.PROTECT, related_name="open_week")
    opened_at = models.DateTimeField(_("opened"))

    class Meta:
        verbose_name = _("open stage")
        verbose_name_plural = _("open stages")
        ordering = ["-monday"]
        constraints = [
            models.CheckConstraint(condition=Q(monday__iso_week_day=1), name="openstage_weeks_begin_on_mondays"),
        ]

    def __str__(self) -> str:
        return name_of(self.monday)

    def get_absolute_url(self) -> str:
        return reverse("openstage:week", args=[str(self)])

    @property
    def sunday(self) -> date:
        """Its last day."""
        return self.monday + timedelta(days=6)


def name_of(monday: date) -> str:
    """Return the name of a week in ISO 8601: "2026-W47"."""
    year, week, _day = monday.isocalendar()
    return f"{year}-W{week:02}"
