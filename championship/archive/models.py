"""Archives that owners have requested: made by a worker, kept for a week, stored and downloaded in parts. Archives
that operators have uploaded, until a worker has restored them. Members in restored archives who have not joined.
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from championship.clubs.models import Role, RolesField
from championship.platform import clock

KEPT = timedelta(days=7)
"""How long an archive is kept for download."""
REMEMBERED = timedelta(days=365)
"""How long a restored club waits for a member in its archive."""


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


class Upload(models.Model):
    """An archive that an operator has uploaded, to be restored by a worker, one at a time.

    `owner`: the account that gets the club. `begun_at` is when a worker last claimed it, and `tries` counts the claims.
    Its bytes are in its parts, which are deleted when it is done or refused. `refusal`: why it was refused, in the
    operator's language; "" while it waits, when it is restored, and when it failed by itself.
    """

    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    sent_at = models.DateTimeField(_("uploaded"), default=clock.now, editable=False)
    size = models.PositiveBigIntegerField(_("bytes"), default=0, editable=False)
    begun_at = models.DateTimeField(_("begun"), null=True, editable=False)
    tries = models.PositiveSmallIntegerField(default=0, editable=False)
    done_at = models.DateTimeField(_("restored"), null=True, editable=False)
    failed_at = models.DateTimeField(_("failed"), null=True, editable=False)
    refusal = models.TextField(_("why it was refused"), blank=True, editable=False)
    club = models.ForeignKey("clubs.Club", on_delete=models.SET_NULL, null=True, editable=False, related_name="+")

    class Meta:
        verbose_name = _("uploaded archive")
        verbose_name_plural = _("uploaded archives")
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                models.Value(1), condition=Q(done_at=None, failed_at=None), name="archive_one_being_restored"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.by} {self.sent_at:%Y-%m-%d}"

    @property
    def waits(self) -> bool:
        """Whether it is neither restored nor refused yet."""
        return self.done_at is None and self.failed_at is None


class UploadPart(models.Model):
    """Some bytes of an uploaded archive, ordered by number."""

    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        verbose_name = _("part of an uploaded archive")
        verbose_name_plural = _("parts of uploaded archives")
        ordering = ["upload", "number"]
        constraints = [models.UniqueConstraint(fields=["upload", "number"], name="archive_upload_part_once")]

    def __str__(self) -> str:
        return f"{self.upload} / {self.number}"


class ArchivedMember(models.Model):
    """A member in the archive of a restored club who has not joined here. `person`: the name without an account that
    has their results. `digest`: of their mail address. `roles`: those in the archive. Nobody gets them by it.
    """

    club = models.ForeignKey("clubs.Club", on_delete=models.CASCADE, related_name="+")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64)
    roles = RolesField(verbose_name=_("roles"))
    at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        verbose_name = _("member in an archive")
        verbose_name_plural = _("members in archives")
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["club", "digest"], name="archive_member_once")]

    def __str__(self) -> str:
        return str(self.person)

    def role_names(self) -> list[str]:
        """The roles in the archive in words, in the active language."""
        return [str(Role(role).label) for role in self.roles]
