"""Imports that were made of lists, with what each has made, and which person a name of a list means."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from championship.platform import clock
from championship.platform.keys import new_key

LONGEST_FORM = 200
"""The most characters of a name in its comparable form."""


class Alias(models.Model):
    """Whom a club means by a name in its lists. `form`: the comparable form of the name. `mail`: the digest of the mail
    address of somebody who was invited; who joins with this address gets the results of `person`, a name without an
    account.
    """

    club = models.ForeignKey("clubs.Club", on_delete=models.CASCADE, related_name="+")
    form = models.CharField(_("name"), max_length=LONGEST_FORM)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    mail = models.CharField(max_length=64, blank=True)
    at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        app_label = "lists"
        verbose_name = _("name in lists")
        verbose_name_plural = _("names in lists")
        constraints = [models.UniqueConstraint(fields=["club", "form"], name="lists_a_name_means_one_person")]

    def __str__(self) -> str:
        return self.form


class ListImport(models.Model):
    """One import of a list: first a draft, then what it has made. `target`: the key of the rally or the championship,
    "" for members, for courses the name of their game; `about`: its name.

    `found`: what the list says (`found_json.py`), empty once it is imported. `answers`: what was said about its people
    and how it is imported (`answers.py`). `version` counts the saved changes of the draft. `counts`: how much is new,
    changed and unchanged. `made`: the rows that it made and what it changed, by which it is undone
    (`services/undoing.py`). While a worker imports it, `done` of `steps` are done. `refusal`: why it failed, in the
    language of the organiser.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("not imported yet")
        WAITING = "waiting", _("waits")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        UNDONE = "undone", _("undone")

    key = models.CharField(max_length=24, unique=True, default=new_key, editable=False)
    club = models.ForeignKey("clubs.Club", on_delete=models.CASCADE, related_name="list_imports")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    purpose = models.CharField(_("purpose"), max_length=15)
    target = models.CharField(_("what it is for"), max_length=24, blank=True)
    about = models.CharField(_("name"), max_length=80, blank=True)
    file_name = models.CharField(_("name of the file"), max_length=120, blank=True)
    found: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("what it says"), default=dict)
    answers: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("answers"), default=dict)
    version = models.PositiveIntegerField(_("version"), default=0)
    state = models.CharField(_("state"), max_length=8, choices=State.choices, default=State.DRAFT)
    counts: models.JSONField[dict[str, int], dict[str, int]] = models.JSONField(_("counts"), default=dict)
    made: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(_("what it made"), default=dict)
    steps = models.PositiveIntegerField(default=0, editable=False)
    done = models.PositiveIntegerField(default=0, editable=False)
    begun_at = models.DateTimeField(null=True, editable=False)
    refusal = models.TextField(_("why it failed"), blank=True, editable=False)
    at = models.DateTimeField(_("made"), default=clock.now, editable=False)
    undone_at = models.DateTimeField(_("undone"), null=True, editable=False)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        app_label = "lists"
        verbose_name = _("import of a list")
        verbose_name_plural = _("imports of lists")
        ordering = ["-at", "-pk"]
        indexes = [models.Index(fields=["at"], condition=Q(state="waiting"), name="lists_waiting")]

    def __str__(self) -> str:
        return self.file_name or self.about or self.purpose

    def get_absolute_url(self) -> str:
        """The page on which it goes on, or says what it has made."""
        return reverse("lists:who" if self.state == self.State.DRAFT else "lists:done", args=[self.key])
