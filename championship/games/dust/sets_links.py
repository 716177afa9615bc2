"""The links that the game adds to a club's library (championship.stages.stage_pages.Workshop)."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext as _

from championship.clubs.models import Club


def ways(club: Club) -> list[tuple[str, str]]:
    """Return the link to the pages of card sets."""
    return [(_("Card sets"), reverse("dust_sets:all", args=[club.slug]))]
