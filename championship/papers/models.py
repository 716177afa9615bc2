"""The cached papers of big rallies (services.py)."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from championship.platform import clock


class KeptPaper(models.Model):
    """A paper as a file, in one language. `stage` is 0 for a paper about the whole rally.

    `made_of` is the tag of the state that `content` shows. `asked_for` is the tag of the state that a worker has to
    render, "" for none. A new paper replaces the old one.
    """

    rally = models.ForeignKey("rallies.Rally", on_delete=models.CASCADE, related_name="papers")
    kind = models.CharField(max_length=20)
    stage = models.PositiveSmallIntegerField(default=0)
    language = models.CharField(max_length=8)
    made_of = models.CharField(max_length=32, blank=True)
    content = models.BinaryField(null=True)
    made_at = models.DateTimeField(null=True)
    asked_for = models.CharField(max_length=32, blank=True)
    asked_at = models.DateTimeField(default=clock.now)
    begun_at = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0)
    failed_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("kept paper")
        verbose_name_plural = _("kept papers")
        constraints = [
            models.UniqueConstraint(fields=["rally", "kind", "stage", "language"], name="papers_paper_kept_once"),
        ]
        indexes = [
            models.Index(fields=["asked_at"], condition=~models.Q(asked_for=""), name="papers_papers_wanted"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.stage} {self.language}"

    @property
    def is_queued(self) -> bool:
        """Whether a worker has to render the paper."""
        return bool(self.asked_for) and self.failed_at is None
