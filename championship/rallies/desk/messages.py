"""Messages of organisers to the entrants of a rally. The rally's page shows them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from championship.accounts.text import shortened

LONGEST = 2000
"""The maximum number of characters of a message."""


class Message(models.Model):
    """A message to all confirmed entrants, in plain text. `told`: how many people it was sent to. Rows are only added,
    never changed.
    """

    rally = models.ForeignKey("rallies.Rally", on_delete=models.PROTECT, related_name="messages")
    text = models.CharField(_("message"), max_length=LONGEST)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    told = models.PositiveSmallIntegerField(_("people told"))
    at = models.DateTimeField(_("sent"))

    class Meta:
        app_label = "rallies"
        verbose_name = _("message to the entrants")
        verbose_name_plural = _("messages to the entrants")
        ordering = ["-at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(text=""), name="rallies_message_says_something"),
        ]

    def __str__(self) -> str:
        return shortened(self.text, 80)
