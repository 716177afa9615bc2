"""Addresses of feeds, for pages of clubs."""

from __future__ import annotations

from django import template
from django.urls import reverse

from championship.api.atoms import key_of
from championship.clubs.models import Club

register = template.Library()


@register.simple_tag
def feed_address(club: Club) -> str:
    """Return the path of a club's feed, which is a secret of its members where the club is not public."""
    return reverse("api:atom", args=[key_of(club)])
