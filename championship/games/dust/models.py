"""Clubs' own card sets, in versions. A run contains the set with which it is played, so runs do not read these
tables.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from championship.clubs.models import Club
from championship.platform import clock
from championship.platform.keys import KEY_LENGTH, new_key

LONGEST_NAME = 40
LONGEST_TEXT = 100_000
"""Characters of a card set. Ours has 19 000."""


class CardSet(models.Model):
    """A card set of a club, by its name. The cards are in its versions."""

    key = models.CharField(max_length=KEY_LENGTH, unique=True, default=new_key, editable=False)
    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="card_sets")
    name = models.CharField(_("name"), max_length=LONGEST_NAME)
    created_at = models.DateTimeField(_("made"), default=clock.now, editable=False)

    class Meta:
        verbose_name = _("card set")
        verbose_name_plural = _("card sets")
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["club", "name"], name="dust_card_set_name_once_in_a_club"),
            models.CheckConstraint(condition=~models.Q(name=""), name="dust_card_set_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("dust_sets:set", args=[self.club.slug, self.key])


class SetVersion(models.Model):
    """A version of a card set, as it was typed in. `digest` is that of the document that the engine reads from it.

    A version never changes. A stage made from it contains the whole set.
    """

    card_set = models.ForeignKey(CardSet, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveSmallIntegerField(_("version"))
    text = models.TextField(_("text"), max_length=LONGEST_TEXT)
    digest = models.CharField(max_length=64)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(_("saved"), default=clock.now, editable=False)

    class Meta:
        verbose_name = _("version of a card set")
        verbose_name_plural = _("versions of a card set")
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["card_set", "number"], name="dust_set_version_once"),
            models.CheckConstraint(condition=models.Q(number__gte=1), name="dust_set_versions_count_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.card_set} {self.number}"
