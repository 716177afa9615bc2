"""Units of background work: those that keep failing, one row for each, deleted when the unit succeeds; those that one
worker at a time does.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import models
from django.utils.translation import gettext_lazy as _

FORGOTTEN = timedelta(days=2)
"""A unit that is not tried for so long after its next try was due has nothing to do any more."""


class Failures(models.QuerySet["Failure"]):
    def open(self, now: datetime) -> Failures:
        """The failures that still matter, the oldest first: their unit is still tried. A unit that nobody has tried for
        FORGOTTEN after it could be tried again has nothing to do any more.
        """
        return self.filter(again_at__gt=now - FORGOTTEN).order_by("since", "pk")


class Failure(models.Model):
    """A unit of background work that has failed since its last success, and is put off.

    kind: the kind of work. unit: the key of the row that the work is about, or "" for the work as a whole.
    since: the first failure; last_at: the last one; times: how many. again_at: when the unit may be tried again.
    error: the type and the text of the last exception.
    """

    kind = models.CharField(_("kind of work"), max_length=80)
    unit = models.CharField(_("key"), max_length=40, blank=True)
    since = models.DateTimeField(_("fails since"))
    last_at = models.DateTimeField(_("failed last"))
    times = models.PositiveIntegerField(_("times"), default=1)
    again_at = models.DateTimeField(_("next try"))
    error = models.CharField(_("error"), max_length=300)

    objects = Failures.as_manager()

    class Meta:
        verbose_name = _("failure")
        verbose_name_plural = _("failures")
        constraints = [models.UniqueConstraint(fields=["kind", "unit"], name="failures_one_row_for_each_unit")]

    def __str__(self) -> str:
        return f"{self.kind} {self.unit}".strip()


class Claim(models.Model):
    """A unit of background work that one worker at a time does (services/claims.py). again_at: nobody begins it before
    that moment: a worker has it, or it was too slow. slow: how many times in a row it was begun and not done.
    """

    kind = models.CharField(_("kind of work"), max_length=80)
    unit = models.CharField(_("key"), max_length=40)
    again_at = models.DateTimeField(_("next try"))
    slow = models.PositiveIntegerField(_("too slow in a row"), default=0)

    class Meta:
        verbose_name = _("claim")
        verbose_name_plural = _("claims")
        constraints = [models.UniqueConstraint(fields=["kind", "unit"], name="failures_one_claim_for_each_unit")]

    def __str__(self) -> str:
        return f"{self.kind} {self.unit}"
