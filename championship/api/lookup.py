"""What an address names, as far as the token reaches: what belongs to another club than the token's is not there."""

from __future__ import annotations

from django.http import Http404
from rest_framework.request import Request

from championship.api.endpoint import ApiView, person_of, token_of
from championship.clubs import selectors as clubs
from championship.clubs.models import Membership
from championship.rallies import selectors as rallies
from championship.rallies.models import Rally
from championship.rallies.selectors import RallyPage
from championship.runs import selectors as runs
from championship.runs import watching
from championship.runs.models import Run
from championship.runs.selectors import RunPage
from championship.seasons import selectors as seasons
from championship.seasons.models import Championship


def require_reach(request: Request, club_id: int | None) -> None:
    """Raises: Http404 for a club that the token is not for. What belongs to no club is everybody's."""
    if club_id is not None and token_of(request).club_id not in (None, club_id):
        raise Http404


def membership(request: Request, slug: str) -> Membership:
    """The person's membership in the club of that key: one query; Http404 for strangers."""
    found = clubs.membership_of(user=person_of(request), slug=slug)
    require_reach(request, found.club_id)
    return found


def rally(view: ApiView, request: Request, key: str) -> Rally:
    """The rally of that key: one query."""
    found = rallies.rally_by_key(key, request.user)
    require_reach(request, found.club_id)
    view.game = found.game
    return found


def rally_page(view: ApiView, request: Request, key: str, number: int | None = None) -> RallyPage:
    """The rally with its results, as the person may know them: eight queries at most."""
    return rallies.rally_page(rally(view, request, key), request.user, number=number)


def run(view: ApiView, request: Request, key: str) -> Run:
    """The run of that key, one query, two more where draws are shared.

    Raises: NotYet for who may not watch it yet.
    """
    found = outside_run(view, request, key)
    watching.let_in(found, request.user)
    return found


def outside_run(view: ApiView, request: Request, key: str) -> Run:
    """The run of that key, for what shows nothing that is drawn or laid in it: one query."""
    found = runs.run_outside(key)
    require_reach(request, found.special_stage.rally.club_id)
    rallies.let_in(found.special_stage.rally, request.user)
    view.game = found.game
    return found


def run_page(view: ApiView, request: Request, key: str) -> RunPage:
    """The run as the person may see it, without its log."""
    return runs.run_page(run(view, request, key), request.user, posts=0)


def championship(request: Request, key: str) -> Championship:
    """The championship of that key: one query."""
    found = seasons.championship_by_key(key, request.user)
    require_reach(request, found.club_id)
    return found
