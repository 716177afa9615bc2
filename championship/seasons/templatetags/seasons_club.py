"""Template tags about a club's championships, for the club's page."""

from typing import Any

from django import template

from championship.clubs.models import Club, Role
from championship.clubs.selectors import roles_of
from championship.platform.web.previews import Shared
from championship.platform.web.request_values import RequestValue
from championship.rallies.models import Rally
from championship.seasons.finished import following_round
from championship.seasons.front import MOST_ON_CLUB_PAGE, fronts_of
from championship.seasons.selectors import (
    RoundOfRally,
    championships_of_club,
    draft_of,
    first_round,
    rallies_by_season,
    round_of,
    table,
)
from championship.seasons.views.public import shared

register = template.Library()
PREVIEW: RequestValue[Shared] = RequestValue("club_preview")


@register.simple_tag(takes_context=True)
def club_preview(context: dict[str, Any], club: Club) -> Shared:
    """The preview of a club's page: who leads its newest season, with the picture of that table. It is read once for a
    page.
    """
    request = context["request"]
    known = PREVIEW.of(request)
    if known is None:
        newest = championships_of_club(club).first()
        known = shared(request, table(newest)) if newest is not None else None
        known = Shared(
            title=club.name,
            text=f"{newest.name}: {known.text}" if newest is not None and known is not None else club.name,
            address=request.build_absolute_uri(club.get_absolute_url()),
            picture=known.picture if known is not None else "",
        )
        PREVIEW.put(request, known)
    return known


@register.simple_tag
def season_round(rally: Rally) -> RoundOfRally | None:
    """The round that a rally is, or None. A page that needs it several times reads it first, as `season_round`."""
    return round_of(rally)


@register.inclusion_tag("seasons/parts/rally_round.html", takes_context=True)
def rally_round(context: dict[str, Any], rally: Rally) -> dict[str, Any]:
    """The championship of which a rally is a round, the round's number, and its day. One query, none where the page has
    read `season_round` already, or has its rows beside it.
    """
    beside = getattr(context.get("page"), "beside", {})
    if "season_round" in context:
        found = context["season_round"]
    else:
        found = first_round(beside["season round"]) if "season round" in beside else round_of(rally)
    known = found.round.planned_for if found is not None and (rally.on_paper or rally.started_at is None) else None
    return {"rally": rally, "round": found and found.round, "day": known}


@register.inclusion_tag("seasons/parts/rally_onward.html", takes_context=True)
def rally_onward(context: dict[str, Any], rally: Rally) -> dict[str, Any]:
    """What comes after a rally that is over: the next round of its championship for a driver who may enter it, else the
    standings; nothing outside a season. Three queries at most.
    """
    viewer = context["request"].user
    following = following_round(viewer, rally) if viewer.is_authenticated else None
    found = round_of(rally) if following is None else None
    return {"round": found and found.round, "following": following}


@register.inclusion_tag("rallies/parts/club_rallies.html", takes_context=True)
def club_rallies(context: dict[str, Any], club: Club) -> dict[str, Any]:
    """The club's rallies: running and coming ones, then the others by season; for organisers, a link to create one."""
    organises = Role.ORGANISER in roles_of(context["request"].user, club)
    present, past = rallies_by_season(club)
    return {"club": club, "present": present, "past": past, "organises": organises}


@register.inclusion_tag("seasons/parts/registered.html")
def registered_for(season_round: RoundOfRally | None) -> dict[str, Any]:
    """How many drivers are registered for the season of a round, and a button that enters them all. No query.
    `season_round`: as the tag of that name returns it.
    """
    registered = 0 if season_round is None else season_round.registered
    return {"round": season_round and season_round.round, "registered": registered}


@register.inclusion_tag("seasons/parts/club_championships.html", takes_context=True)
def club_championships(context: dict[str, Any], club: Club) -> dict[str, Any]:
    """The club's championships, newest first, with the leaders and the next rounds of the newest; for organisers, a
    link to create one, or to the draft they have begun.

    `me` in the context is the viewer's membership of the club, where the page has already read it.
    """
    viewer, me = context["request"].user, context.get("me")
    organises = Role.ORGANISER in (roles_of(viewer, club) if me is None else me.roles)
    return {
        "club": club,
        "fronts": fronts_of(club),
        "championships": championships_of_club(club)[MOST_ON_CLUB_PAGE:],
        "organises": organises,
        "draft": draft_of(club, viewer) if organises else None,
    }
