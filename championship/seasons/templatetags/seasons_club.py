"""A club's championships, for the club's page."""

from typing import Any

from django import template

from championship.clubs.models import Club, Role
from championship.clubs.selectors import roles_of
from championship.seasons.selectors import championships_of_club

register = template.Library()


@register.inclusion_tag("seasons/parts/club_championships.html", takes_context=True)
def club_championships(context: dict[str, Any], club: Club) -> dict[str, Any]:
    """The club's championships, newest first, with a way to a new one for organisers."""
    organises = Role.ORGANISER in roles_of(context["request"].user, club)
    return {"club": club, "championships": championships_of_club(club), "organises": organises}
