"""What the service remembers of its database, so that it detects another one in its place."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class Lineage(models.Model):
    """One row: the identity of the database (services.py) when it was last known to be intact, and since when."""

    name = models.CharField(max_length=20, primary_key=True)
    identity = models.CharField(_("identity"), max_length=120)
    known_since = models.DateTimeField(_("known since"))

    class Meta:
        verbose_name = _("identity of the database")
        verbose_name_plural = _("identities of the database")

    def __str__(self) -> str:
        return self.identity
