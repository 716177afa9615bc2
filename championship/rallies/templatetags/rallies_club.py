"""A club's rallies, for the club's page."""

from typing import Any

from django import template

from championship.clubs.models import Club, Role
from championship.clubs.selectors import roles_of
from championship.rallies.selectors import rallies_of_club, rallies_taking_entries

register = template.Library()


@register.inclusion_tag("rallies/parts/club_rallies.html", takes_context=True)
def club_rallies(context: dict[str, Any], club: Club) -> dict[str, Any]:
    """The club's rallies, newest first, with a way to a new one for organisers."""
    organises = Role.ORGANISER in roles_of(context["request"].user, club)
    return {"club": club, "rallies": rallies_of_club(club), "organises": organises}


@register.inclusion_tag("rallies/parts/open_rallies.html")
def rallies_that_take_entries() -> dict[str, Any]:
    """Rallies of public clubs that take entries, the newest first."""
    return {"rallies": rallies_taking_entries()}
