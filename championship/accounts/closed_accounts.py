"""Tables for closed accounts and for former names of people."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from championship.platform import clock


class FormerName(models.Model):
    """A name that a person had. Closing the account replaces it too. A row without `since` and `until` is older than
    these columns.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="former_names")
    name = models.CharField(_("name"), max_length=60)
    since = models.DateTimeField(null=True)
    until = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("former name")
        verbose_name_plural = _("former names")
        constraints = [models.UniqueConstraint(fields=["person", "name"], name="accounts_former_name_once")]

    def __str__(self) -> str:
        return self.name


class Closing(models.Model):
    """An account that its owner has closed. Until `finished_at` is set it can be opened again. `replaced` are the
    changes to undo then, each [model, key, column, before, after].
    """

    person = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="closing")
    asked_at = models.DateTimeField(_("closed"), default=clock.now)
    finished_at = models.DateTimeField(_("final"), null=True)
    name = models.CharField(max_length=60, blank=True)
    replaced: models.JSONField[list[list[object]], list[list[object]]] = models.JSONField(default=list)

    class Meta:
        verbose_name = _("closed account")
        verbose_name_plural = _("closed accounts")
        indexes = [
            models.Index(fields=["asked_at"], condition=models.Q(finished_at=None), name="accounts_closings_open")
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(finished_at=None) | models.Q(name="", replaced=[]),
                name="accounts_final_closing_knows_no_name",
            ),
        ]

    def __str__(self) -> str:
        return str(self.person)
