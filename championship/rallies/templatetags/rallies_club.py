"""Lists of rallies, for pages about all clubs, and what one club drives just now."""

from typing import Any

from django import template

from championship.clubs.models import Club
from championship.rallies import club_front
from championship.rallies.selectors import rallies_taking_entries, rallies_under_way

register = template.Library()


@register.inclusion_tag("rallies/parts/open_rallies.html")
def rallies_that_take_entries() -> dict[str, Any]:
    """Rallies of public clubs that take entries, the newest first."""
    return {"rallies": rallies_taking_entries()}


@register.inclusion_tag("rallies/parts/rallies_under_way.html")
def rallies_on_the_road() -> dict[str, Any]:
    """Rallies of public clubs that are under way, the newest first."""
    return {"rallies": rallies_under_way()}


@register.simple_tag
def club_under_way(club: Club) -> list[club_front.UnderWay]:
    """What the club drives just now. Seven queries at most, for any number of rallies and cars."""
    return club_front.under_way(club)


@register.inclusion_tag("rallies/parts/last_podium.html")
def club_last_podium(club: Club) -> dict[str, Any]:
    """The podium of the club's last rally; nothing before the first. Six queries."""
    return {"podium": club_front.last_podium(club)}
