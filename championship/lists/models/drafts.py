"""Lists on their way into a club, and what its people have said about the columns of earlier ones."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from championship.platform import clock
from championship.platform.keys import new_key


class ListDraft(models.Model):
    """A list that an organiser has brought, kept until it is said which column is what, so that the work can go on
    from another device.

    `target` is the key of the rally or the championship that the list is for, "" for the members of a club, for courses
    the name of their game. `content`
    is the file or the pasted text as it came. `choices`: what was said about its columns (`found.Choices` as JSON).
    `version` counts the saved changes.
    """

    class Purpose(models.TextChoices):
        ENTRIES = "entries", _("entries of a rally")
        REGISTRATIONS = "registrations", _("registrations for a season")
        MEMBERS = "members", _("members of the club")
        RESULTS = "results", _("results of a season")
        COURSES = "courses", _("stages of the club")

    key = models.CharField(max_length=24, unique=True, default=new_key, editable=False)
    club = models.ForeignKey("clubs.Club", on_delete=models.CASCADE, related_name="list_drafts")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="list_drafts")
    purpose = models.CharField(_("purpose"), max_length=15, choices=Purpose.choices)
    target = models.CharField(_("what it is for"), max_length=24, blank=True)
    file_name = models.CharField(_("name of the file"), max_length=120, blank=True)
    content = models.BinaryField(_("content"))
    choices: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("columns"), default=dict)
    version = models.PositiveIntegerField(_("version"), default=0)
    made_at = models.DateTimeField(_("made"), default=clock.now)
    updated_at = models.DateTimeField(_("changed"), auto_now=True)

    class Meta:
        verbose_name = _("draft of a list")
        verbose_name_plural = _("drafts of lists")
        constraints = [
            models.UniqueConstraint(fields=["club", "by", "purpose", "target"], name="lists_one_draft_at_a_time"),
        ]

    def __str__(self) -> str:
        return self.file_name or str(self.get_purpose_display())


class Columns(models.Model):
    """What a club has said about the columns of a list, for the next list of the same shape.

    `shape` is a digest of the purpose and the headings (`reading.shape_of`), `choices` the columns as
    `found.Choices` has them.
    """

    club = models.ForeignKey("clubs.Club", on_delete=models.CASCADE, related_name="list_columns")
    shape = models.CharField(_("shape"), max_length=64)
    choices: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("columns"), default=dict)
    used_at = models.DateTimeField(_("used"), default=clock.now)

    class Meta:
        verbose_name = _("columns of a list")
        verbose_name_plural = _("columns of lists")
        constraints = [
            models.UniqueConstraint(fields=["club", "shape"], name="lists_columns_once_for_each_shape"),
        ]

    def __str__(self) -> str:
        return f"{self.club} / {self.shape[:8]}"
