"""Dates of a rally that act of themselves: entries close, the rally starts."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.utils.translation import gettext_lazy as _


class ActingDates(models.Model):
    """The part of a rally that says what happens at which moment.

    `entries_close_at`: from then on drivers do not enter any more. `entries_closed`: the log has that. `starts_at`: the
    rally starts then, with the entries that are confirmed.
    """

    entries_close_at = models.DateTimeField(_("entries close"), null=True, blank=True)
    entries_closed = models.BooleanField(_("entries are closed"), default=False, db_default=False)
    starts_at = models.DateTimeField(_("starts at"), null=True, blank=True)

    class Meta:
        abstract = True

    def takes_entries(self, now: datetime) -> bool:
        """Whether drivers may still enter, as far as the deadline goes."""
        return not self.entries_closed and (self.entries_close_at is None or now < self.entries_close_at)
