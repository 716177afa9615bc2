"""A club's championships, for the club's page."""

from typing import Any

from django import template

from championship.clubs.models import Club, Role
from championship.clubs.selectors import roles_of
from championship.rallies.models import Rally
from championship.seasons.models import Round
from championship.seasons.selectors import championships_of_club, draft_of

register = template.Library()


@register.inclusion_tag("seasons/parts/rally_round.html")
def rally_round(rally: Rally) -> dict[str, Any]:
    """The championship that a rally is a round of, its number, and when the rally was: one query."""
    found = Round.objects.filter(rally=rally.pk).select_related("championship").order_by("pk").first()
    known = found.planned_for if found is not None and (rally.on_paper or rally.started_at is None) else None
    return {"rally": rally, "round": found, "day": known}


@register.inclusion_tag("seasons/parts/club_championships.html", takes_context=True)
def club_championships(context: dict[str, Any], club: Club) -> dict[str, Any]:
    """The club's championships, newest first; for organisers a way to a new one, or to the one they have begun.

    `me` in the context is the viewer's membership of the club, where the page has read it already.
    """
    viewer, me = context["request"].user, context.get("me")
    organises = Role.ORGANISER in (roles_of(viewer, club) if me is None else me.roles)
    return {
        "club": club,
        "championships": championships_of_club(club),
        "organises": organises,
        "draft": draft_of(club, viewer) if organises else None,
    }
