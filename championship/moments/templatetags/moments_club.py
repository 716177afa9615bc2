"""The latest moments of a club, for its first page."""

from __future__ import annotations

from typing import Any

from django import template

from championship.clubs.models import Club
from championship.moments.club_moments import in_words, moment_rows

register = template.Library()

MOST = 4


@register.inclusion_tag("moments/parts/latest.html")
def latest_moments(club: Club) -> dict[str, Any]:
    """The newest moments of the club. The number of queries does not depend on the number of moments."""
    return {"club": club, "moments": in_words(club, moment_rows(club)[:MOST])}
