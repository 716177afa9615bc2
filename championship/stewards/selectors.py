"""What the pages of the stewards' room show, with their queries counted."""

from __future__ import annotations

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from championship.accounts.models import User
from championship.rallies.models import Rally
from championship.rallies.selectors import Viewer, require_inside
from championship.stewards.models import Decision, Protest


def decisions_of(rally: Rally) -> QuerySet[Decision]:
    """All decisions of a rally, newest first, with everything a page says of them: one query."""
    return rally.decisions.select_related(
        "entry", "special_stage__rally", "by", "protest__by", "protest__appealed", "undoes", "undone_by", "appeal"
    ).order_by("-number")


def protests_of(rally: Rally) -> QuerySet[Protest]:
    """All protests and appeals of a rally, the open ones first: one query."""
    return rally.protests.select_related("by", "against", "special_stage__rally", "appealed", "decision").order_by(
        "-status", "-filed_at", "-pk"
    )


def protest_by_key(key: str, viewer: Viewer) -> Protest:
    """The protest of that key with all it is about, for members of the club and who drives in the rally: three queries.

    Raises: Http404; NotYet for who has not signed in.
    """
    found = get_object_or_404(
        Protest.objects.select_related(
            "rally__club", "by__driver", "against__driver", "special_stage__rally", "appealed__by", "decision__by"
        ),
        key=key,
    )
    require_inside(found.rally, viewer)
    return found


def waiting_for_judgement(user: User) -> QuerySet[Protest]:
    """Open protests in the clubs whose steward this person is, oldest first: one query."""
    return (
        Protest.objects.filter(
            status=Protest.Status.OPEN,
            rally__club__memberships__user=user,
            rally__club__memberships__roles__contains=["steward"],
        )
        .select_related("rally__club", "by", "against")
        .order_by("filed_at", "pk")
    )
