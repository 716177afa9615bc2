"""What is stored about the machines' clocks: the last reading of each machine, and every jump of a clock."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import models
from django.utils.translation import gettext_lazy as _

REPORTED_FOR = timedelta(days=1)
"""How long a jump is reported."""


class MachineClock(models.Model):
    """The two clocks of a machine when they were last read: the wall clock, which can be set, and the counter of
    seconds since the machine started, which cannot.
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
        """Return the jumps that are still reported: those of the last day that no operator has acknowledged. After a
        clock was set back they may be in the future; these are included.
        """
        return self.filter(noticed_at__gt=now - REPORTED_FOR, acknowledged_at=None)


class ClockJump(models.Model):
    """A machine's clock was set by `seconds`: forward, or back when negative."""

    boot = models.CharField(_("start of the machine"), max_length=64)
    noticed_at = models.DateTimeField(_("noticed"))
    seconds = models.FloatField(_("seconds"))
    acknowledged_at = models.DateTimeField(_("acknowledged"), null=True, editable=False)

    objects = ClockJumps.as_manager()

    class Meta:
        verbose_name = _("jump of a clock")
        verbose_name_plural = _("jumps of clocks")
        indexes = [models.Index(fields=["noticed_at"], name="health_jumps_by_time")]

    def __str__(self) -> str:
        return f"{self.seconds:+.0f} s"


class FinishedBackup(models.Model):
    """When the last base backup ("base"), and the last copy of all of them to another machine ("copy"), was finished.

    deploy/record_backup.sh writes the rows, with SQL of its own.
    """

    what = models.CharField(max_length=20, primary_key=True)
    finished_at = models.DateTimeField()

    class Meta:
        verbose_name = _("finished backup")
        verbose_name_plural = _("finished backups")

    def __str__(self) -> str:
        return self.what
