"""Read functions for pages of the stewards' room. The docstrings state the number of queries. Which entries a protest,
an appeal or a decision concerns, and so which officials may judge it.
"""

from __future__ import annotations

from django.db.models import Max, QuerySet
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _

from championship.accounts.models import User
from championship.accounts.text import shortened
from championship.rallies.entries.impartiality import (
    JUDGES,
    Officials,
    officials_for,
    require_impartial,
)
from championship.rallies.models import Entry, Rally
from championship.rallies.selectors import Viewer, require_may_enter_stewards_room
from championship.runs.models import Event, Turn
from championship.seasons.models import Championship, Round
from championship.seasons.rulings_told import EXCLUSION, PENALTY, RESULT, STAGE, Decided
from championship.stewards.models import Decision, Protest

LONGEST_REASON = 200
"""How many letters of a decision's reasons stand beside a total; the stewards' room has all of them."""


def decisions_of(rally: Rally) -> QuerySet[Decision]:
    """Return all decisions of a rally, newest first, with everything that a page shows of them. One query."""
    return rally.decisions.select_related(
        "entry", "special_stage__rally", "by", "protest__by", "protest__appealed", "undoes", "undone_by", "appeal"
    ).order_by("-number")


def protests_of(rally: Rally) -> QuerySet[Protest]:
    """Return all protests and appeals of a rally, open ones first. One query."""
    return rally.protests.select_related(
        "by", "against", "special_stage__rally", "appealed", "adjustment", "decision"
    ).order_by("-status", "-filed_at", "-pk")


def protest_by_key(key: str, viewer: Viewer) -> Protest:
    """Return the protest of that key with everything it refers to, for members of the club and drivers of the rally.
    Three queries.

    Raises: Http404 when the viewer may not see it, or there is none.
    Raises: NotYet when the viewer has not signed in.
    """
    found = get_object_or_404(
        Protest.objects.select_related(
            "rally__club",
            "by__driver",
            "against__driver",
            "special_stage__rally",
            "appealed__by",
            "adjustment__championship",
            "decision__by",
            "statement__by",
            "turn__run",
        ),
        key=key,
    )
    require_may_enter_stewards_room(found.rally, viewer)
    return found


def counts_in_a_season(rally: Rally) -> bool:
    """Return whether the rally is a round of a championship. One query."""
    return Round.objects.filter(rally=rally).exists()


def decisions_of_season(championship: Championship) -> QuerySet[Decision]:
    """Return all decisions in the rounds of a season, the newest first, with what the notice board shows. One query."""
    return (
        Decision.objects.filter(rally__round__championship=championship)
        .select_related("rally__round", "entry", "special_stage__rally", "by", "undone_by", "protest")
        .order_by("-at", "-pk")
    )


def replay_of(turn: Turn | None) -> str:
    """Return the address of the replay at the end of a turn, "" for no turn. One query."""
    if turn is None:
        return ""
    last = Event.objects.filter(post__turn=turn, only=None).aggregate(last=Max("number"))["last"] or 0
    return f"{reverse('runs:replay', args=[turn.run.key])}?at={last}"


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


def officials_on(rally: Rally, protest: Protest | None) -> Officials:
    """Return which officials may decide on a protest or an appeal (or on their own motion, without one), and how each
    steward of the club is involved. The parties of a protest are its author and the entry it is against; of an appeal,
    also the entry that the decision concerns and the parties of that decision.
    """
    parties = [entry.pk for entry in parties_of(protest)]
    return officials_for(rally, JUDGES, parties=parties, decided_by=_decided_by(protest))


def require_impartial_on(
    by: User, rally: Rally, protest: Protest | None, entry: Entry | None, undoes: Decision | None
) -> bool:
    """Check that the steward may decide. Returns whether the steward drives in the rally."""
    parties = parties_of(protest)
    concerned = [each for each in (entry, *_of_decision(undoes)) if each is not None and each not in parties]
    return require_impartial(by, rally, JUDGES, parties=parties, concerned=concerned, decided_by=_decided_by(protest))


def _decided_by(protest: Protest | None) -> int | None:
    if protest is None:
        return None
    if protest.adjustment is not None:
        return protest.adjustment.by_id
    return protest.appealed.by_id if protest.appealed is not None else None


def parties_of(protest: Protest | None) -> list[Entry]:
    return [] if protest is None else [*_some(protest.by, protest.against), *_of_decision(protest.appealed)]


def _of_decision(decision: Decision | None) -> list[Entry]:
    if decision is None:
        return []
    return [*_some(decision.entry), *_of_decision(decision.undoes), *parties_of(decision.protest)]


def _some(*entries: Entry | None) -> list[Entry]:
    return [entry for entry in entries if entry is not None]


class Stewards:
    """Tells seasons the decisions that change a result."""

    def decided(self, championship: Championship) -> list[Decided]:
        """Return the decisions in force. One query."""
        found = Decision.objects.filter(rally__round__championship=championship, undone_by=None)
        stages = [Decision.Kind.STRUCK, Decision.Kind.SHORTENED]
        told = []
        for each in found.select_related("rally", "special_stage__rally").order_by("at", "pk"):
            here = each.number, each.get_absolute_url()
            if each.penalty_id:
                told.append(Decided(PENALTY, each.penalty_id, *here))
            elif each.exclusion_id:
                told.append(Decided(EXCLUSION, each.exclusion_id, *here))
            elif each.time_by_hand_id:
                told.append(Decided(RESULT, each.time_by_hand_id, *here))
            elif each.kind in stages and each.special_stage is not None:
                told.append(Decided(STAGE, each.rally_id, *here, _about_stage(each), _reasons(each)))
        return told


def _about_stage(decision: Decision) -> str:
    stage = "" if decision.special_stage is None else decision.special_stage.title
    if decision.kind == Decision.Kind.STRUCK:
        return _("%(stage)s is struck out") % {"stage": stage}
    return _("%(stage)s is shortened: the results on the way count") % {"stage": stage}


def _reasons(decision: Decision) -> str:
    return shortened(" ".join(decision.text.split()), LONGEST_REASON)
