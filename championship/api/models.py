"""Tokens, and the kept answers to requests that may be sent twice."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from championship.api.scopes import Scope
from championship.platform import clock

PREFIX_LENGTH = 8
LONGEST_NAME = 60
LONGEST_KEY = 100
"""Characters of the longest Idempotency-Key."""


class Token(models.Model):
    """A program's credential. Of the token itself only `prefix` and a SHA-256 are stored.

    `club`: the token reaches only this club; None for all clubs of the person. `scopes`: what the token may do.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    club = models.ForeignKey(
        "clubs.Club", on_delete=models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("club")
    )
    name = models.CharField(_("name"), max_length=LONGEST_NAME)
    prefix = models.CharField(_("begins with"), max_length=PREFIX_LENGTH, editable=False)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scopes = ArrayField(models.CharField(max_length=10, choices=Scope.choices), verbose_name=_("scopes"))
    made_at = models.DateTimeField(_("made"), default=clock.now, editable=False)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)

    class Meta:
        verbose_name = _("token")
        verbose_name_plural = _("tokens")
        ordering = ["-made_at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=~models.Q(name=""), name="api_token_has_a_name"),
            models.CheckConstraint(condition=models.Q(scopes__len__gt=0), name="api_token_some_scope"),
            models.CheckConstraint(
                condition=models.Q(scopes__contained_by=["read", "play", "organise", "steward", "bot"]),
                name="api_token_known_scopes",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def scope_names(self) -> list[str]:
        """Return the labels of the scopes, in the active language."""
        return [str(Scope(scope).label) for scope in self.scopes]

    def works(self, now: datetime) -> bool:
        """Return whether the token is valid at that moment. A token for a closed club is not valid until the club is
        reopened.
        """
        if self.club is not None and self.club.closed_at is not None:
            return False
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


class KeptAnswer(models.Model):
    """The answer to a request with an Idempotency-Key, kept for a day. `status` is None while the request is in flight.

    `digest` is a SHA-256 of method, address and body: another request under the same key is an error of the client.
    """

    token = models.ForeignKey(Token, on_delete=models.CASCADE, related_name="answers")
    key = models.CharField(max_length=LONGEST_KEY)
    digest = models.CharField(max_length=64)
    asked_at = models.DateTimeField(default=clock.now, editable=False)
    status = models.PositiveSmallIntegerField(null=True)
    body: models.JSONField[Any, Any] = models.JSONField(null=True)

    class Meta:
        verbose_name = _("kept answer")
        verbose_name_plural = _("kept answers")
        constraints = [models.UniqueConstraint(fields=["token", "key"], name="api_one_answer_per_key")]
        indexes = [models.Index(fields=["asked_at"], name="api_answers_by_age")]

    def __str__(self) -> str:
        return self.key
