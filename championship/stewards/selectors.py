"""Read functions for pages of the stewards' room. The docstrings state the number of queries."""

from __future__ import annotations

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from championship.accounts.models import User
from championship.rallies.models import Rally
from championship.rallies.selectors import Viewer, require_may_enter_stewards_room
from championship.stewards.models import Decision, Protest


def decisions_of(rally: Rally) -> QuerySet[Decision]:
    """Return all decisions of a rally, newest first, with everything that a page shows of them. One query."""
    return rally.decisions.select_related(
        "entry", "special_stage__rally", "by", "protest__by", "protest__appealed", "undoes", "undone_by", "appeal"
    ).order_by("-number")


def protests_of(rally: Rally) -> QuerySet[Protest]:
    """Return all protests and appeals of a rally, open ones first. One query."""
    return rally.protests.select_related("by", "against", "special_stage__rally", "appealed", "decision").order_by(
        "-status", "-filed_at", "-pk"
    )


def protest_by_key(key: str, viewer: Viewer) -> Protest:
    """Return the protest of that key with everything it refers to, for members of the club and drivers of the rally.
    Three queries.

    Raises: Http404 when the viewer may not see it, or there is none.
    Raises: NotYet when the viewer has not signed in.
    """
    found = get_object_or_404(
        Protest.objects.select_related(
            "rally__club", "by__driver", "against__driver", "special_stage__rally", "appealed__by", "decision__by"
        ),
        key=key,
    )
    require_may_enter_stewards_room(found.rally, viewer)
    return found


def waiting_for_judgement(user: User) -> QuerySet[Protest]:
    """Return the open protests in the clubs where this person is a steward, oldest first. One query."""
    return (
        Protest.objects.filter(
            status=Protest.Status.OPEN,
            rally__club__memberships__user=user,
            rally__club__memberships__roles__contains=["steward"],
        )
        .select_related("rally__club", "by", "against")
        .order_by("filed_at", "pk")
    )
