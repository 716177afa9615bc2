"""Archives that owners have requested: made by a worker, kept for a week, stored and downloaded in parts."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from championship import clock

KEPT = timedelta(days=7)
"""How long an archive is kept for download."""


class Archive(models.Model):
    """Everything that a club owns as one file. While it is being made, `done` of `steps` records are written.
    `begun_at` is when a worker last claimed it, and `tries` counts the claims. Its bytes are in its parts.
    """

    club = models.ForeignKey("clubs.Club", on_delete=models.CASCADE, related_name="archives")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField(_("asked for"), default=clock.now, editable=False)
    begun_at = models.DateTimeField(_("begun"), null=True, editable=False)
    tries = models.PositiveSmallIntegerField(default=0, editable=False)
    steps = models.PositiveIntegerField(default=0, editable=False)
    done = models.PositiveIntegerField(default=0, editable=False)
    ready_at = models.DateTimeField(_("ready"), null=True, editable=False)
    failed_at = models.DateTimeField(_("failed"), null=True, editable=False)
    size = models.PositiveBigIntegerField(_("bytes"), default=0, editable=False)
    sha256 = models.CharField(max_length=64, blank=True, editable=False)

    class Meta:
        verbose_name = _("archive")
        verbose_name_plural = _("archives")
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["club"], condition=Q(ready_at=None, failed_at=None), name="archive_one_in_the_making"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.club} {self.asked_at:%Y-%m-%d}"

    @property
    def kept_until(self) -> object:
        """When it is deleted; None before it is ready."""
        return self.ready_at + KEPT if self.ready_at else None


class Part(models.Model):
    """Some bytes of an archive, ordered by number."""

    archive = models.ForeignKey(Archive, on_delete=models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        verbose_name = _("part of an archive")
        verbose_name_plural = _("parts of archives")
        ordering = ["archive", "number"]
        constraints = [models.UniqueConstraint(fields=["archive", "number"], name="archive_part_once")]

    def __str__(self) -> str:
        return f"{self.archive} / {self.number}"
