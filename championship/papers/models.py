"""The cached papers of big rallies (services.py), and files of anything else that takes long to make (big_files.py)."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from championship.platform import clock


class MadeByWorker(models.Model):
    """A file that a worker makes once for each state of what it shows (services/keeping.py).

    `made_of` is the tag of the state that `content` shows. `asked_for` is the tag of the state that a worker has to
    make, "" for none. A new file replaces the old one.
    """

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
        abstract = True

    @property
    def is_queued(self) -> bool:
        """Whether a worker has to make the file."""
        return bool(self.asked_for) and self.failed_at is None


class KeptPaper(MadeByWorker):
    """A paper of a rally, in one language. `stage` is 0 for a paper about the whole rally."""

    rally = models.ForeignKey("rallies.Rally", on_delete=models.CASCADE, related_name="papers")
    kind = models.CharField(max_length=20)
    stage = models.PositiveSmallIntegerField(default=0)

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


class BigFile(MadeByWorker):
    """A file of something else that a club owns, in one language. `kind` is registered in big_files.py; `subject` is
    the key of what the file shows.
    """

    club = models.ForeignKey("clubs.Club", on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20)
    subject = models.CharField(max_length=40)

    class Meta:
        verbose_name = _("big file")
        verbose_name_plural = _("big files")
        constraints = [
            models.UniqueConstraint(fields=["kind", "subject", "language"], name="papers_file_kept_once"),
        ]
        indexes = [
            models.Index(fields=["asked_at"], condition=~models.Q(asked_for=""), name="papers_files_wanted"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject} {self.language}"
