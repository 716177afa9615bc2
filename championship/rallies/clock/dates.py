"""Dates of a rally on which the sweep acts: entries close, the rally starts."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.utils.translation import gettext_lazy as _


class ActingDates(models.Model):
    """The part of a rally with its automatic dates.

    `entries_close_at`: drivers cannot enter from this moment. `entries_closed`: the sweep has closed the entries and
    logged it. `starts_at`: the rally starts at this moment, with the confirmed entries.
    """

    entries_close_at = models.DateTimeField(_("entries close"), null=True, blank=True)
    entries_closed = models.BooleanField(_("entries are closed"), default=False, db_default=False)
    starts_at = models.DateTimeField(_("starts at"), null=True, blank=True)

    class Meta:
        abstract = True

    def takes_entries(self, now: datetime) -> bool:
        """Whether the deadline still allows drivers to enter."""
        return not self.entries_closed and (self.entries_close_at is None or now < self.entries_close_at)
