"""What is kept of how the machines go: what each one's clocks said last, and when a clock jumped."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import models
from django.utils.translation import gettext_lazy as _

TOLD_FOR = timedelta(days=1)
"""For so long a jump is told of."""


class MachineClock(models.Model):
    """The two clocks of a machine at its last look: the wall's, which anybody may set, and the counter of seconds since
    the machine started, which nobody can.
    """

    boot = models.CharField(_("start of the machine"), max_length=64, primary_key=True)
    wall = models.DateTimeField(_("time of day"))
    counter = models.FloatField(_("seconds since the start"))

    class Meta:
        verbose_name = _("clock of a machine")
        verbose_name_plural = _("clocks of machines")

    def __str__(self) -> str:
        return self.boot


class ClockJumps(models.QuerySet["ClockJump"]):
    def lately(self, now: datetime) -> ClockJumps:
        """Those that are told of. A clock that was set back shows them in the future."""
        return self.filter(noticed_at__gt=now - TOLD_FOR)


class ClockJump(models.Model):
    """A machine's clock was set: `seconds` forward, or back where they are below zero."""

    boot = models.CharField(_("start of the machine"), max_length=64)
    noticed_at = models.DateTimeField(_("noticed"))
    seconds = models.FloatField(_("seconds"))

    objects = ClockJumps.as_manager()

    class Meta:
        verbose_name = _("jump of a clock")
        verbose_name_plural = _("jumps of clocks")
        indexes = [models.Index(fields=["noticed_at"], name="health_jumps_by_time")]

    def __str__(self) -> str:
        return f"{self.seconds:+.0f} s"
