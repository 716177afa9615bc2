"""Models of the inputs of a stage's random draws: the secret with its commitment, and the phrases of entries."""

from __future__ import annotations

import secrets

from django.db import models
from django.utils.translation import gettext_lazy as _

from engine import chance


def new_secret() -> bytes:
    """Return a new secret of 256 random bits."""
    return secrets.token_bytes(chance.SECRET_BYTES)


class Seal(models.Model):
    """The secret from which all random draws of a stage follow. Its SHA-256 is published as commitment from the day the
    rally is created.

    `phrases` are those of all entries, in the order in which they were published when the stage opened; None before.
    """

    special_stage = models.OneToOneField("rallies.SpecialStage", on_delete=models.CASCADE, related_name="seal")
    secret = models.BinaryField(_("secret"), default=new_secret, editable=False)
    commitment = models.CharField(_("SHA-256 of the secret"), max_length=64)
    sealed_at = models.DateTimeField(_("sealed"), auto_now_add=True)
    phrases: models.JSONField[list[str] | None, list[str] | None] = models.JSONField(
        _("phrases, published when the stage opened"), null=True, blank=True
    )

    class Meta:
        verbose_name = _("seal")
        verbose_name_plural = _("seals")

    def __str__(self) -> str:
        return self.commitment

    @property
    def phrases_sha256(self) -> str:
        """The published digest of the phrases; "" before the stage opens."""
        return "" if self.phrases is None else chance.digest(self.phrases)


class Phrase(models.Model):
    """A text that an entry adds to the random draws of a stage before it opens. It prevents a choice of the secret that
    favours somebody.
    """

    special_stage = models.ForeignKey("rallies.SpecialStage", on_delete=models.CASCADE, related_name="phrases")
    entry = models.ForeignKey("rallies.Entry", on_delete=models.CASCADE, related_name="phrases")
    text = models.CharField(_("phrase"), max_length=80)

    class Meta:
        verbose_name = _("phrase")
        verbose_name_plural = _("phrases")
        ordering = ["special_stage", "entry"]
        constraints = [
            models.UniqueConstraint(fields=["special_stage", "entry"], name="runs_one_phrase_per_entry_and_stage"),
        ]

    def __str__(self) -> str:
        return self.text
