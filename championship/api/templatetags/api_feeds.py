"""The address of a feed, for pages of clubs."""

from __future__ import annotations

from django import template
from django.urls import reverse

from championship.api.atom_feed import key_of
from championship.clubs.models import Club

register = template.Library()


@register.simple_tag
def feed_address(club: Club) -> str:
    """Return the path of a club's feed. When the club is not public, the path is a secret of its members."""
    return reverse("api:atom", args=[key_of(club)])
