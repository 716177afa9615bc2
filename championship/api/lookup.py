"""Looks up what an address names, within the reach of the token: objects of any club but the token's do not exist for
it. Addresses name people, teams and entries by public keys. Row ids are never shown: a public key is a keyed digest of
the id.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Model
from django.http import Http404
from django.utils.crypto import salted_hmac
from rest_framework.request import Request

from championship.accounts.models import User
from championship.api.endpoint import ApiView, person_of, token_of
from championship.clubs import selectors as clubs
from championship.clubs.models import Membership
from championship.rallies import selectors as rallies
from championship.rallies.models import Entry, Rally
from championship.rallies.selectors import RallyPage
from championship.runs.models import Run
from championship.runs.watch import selectors as runs
from championship.runs.watch import watching
from championship.runs.watch.selectors import RunPage
from championship.seasons import selectors as seasons
from championship.seasons.models import Championship

LENGTH = 16


def _name(kind: str, pk: int) -> str:
    return salted_hmac(f"championship.api.{kind}", str(pk), algorithm="sha256").hexdigest()[:LENGTH]


def of_person(pk: int) -> str:
    """Return the public key of a person."""
    return _name("person", pk)


def of_row(row: Model) -> str:
    """Return the public key of a person or a team."""
    return _name("person" if isinstance(row, User) else row._meta.model_name or "", row.pk)


def of_entry(pk: int) -> str:
    """Return the public key of an entry."""
    return _name("entry", pk)


def entry_by_key(name: str, entries: Iterable[Entry]) -> Entry:
    """Return the entry with that public key among those of its rally, which are at most 999.

    Raises: Http404 when there is none.
    """
    found = next((entry for entry in entries if of_entry(entry.pk) == name), None)
    if found is None:
        raise Http404
    return found


def require_reach(request: Request, club_id: int | None) -> None:
    """Check that the token reaches a club. An object of no club is within reach of every token.

    Raises: Http404 when the token is for another club.
    """
    if club_id is not None and token_of(request).club_id not in (None, club_id):
        raise Http404


def membership(request: Request, slug: str) -> Membership:
    """Return the person's membership in the club of that key. One query.

    Raises: Http404 when the person is no member.
    """
    found = clubs.membership_of(user=person_of(request), slug=slug)
    require_reach(request, found.club_id)
    return found


def rally(view: ApiView, request: Request, key: str) -> Rally:
    """Return the rally of that key. One query."""
    found = rallies.rally_by_key(key, request.user)
    require_reach(request, found.club_id)
    view.game = found.game
    return found


def rally_page(view: ApiView, request: Request, key: str, number: int | None = None) -> RallyPage:
    """Return the rally with its results, as far as the person may see them. At most eight queries."""
    return rallies.rally_page(rally(view, request, key), request.user, number=number)


def own_entry(request: Request, rally: Rally) -> Entry:
    """Return the person's newest entry in a rally. One query.

    Raises: Http404 when there is none.
    """
    found = rally.entries.filter(driver=person_of(request)).select_related("driver").order_by("-pk").first()
    if found is None:
        raise Http404
    return found


def run(view: ApiView, request: Request, key: str) -> Run:
    """Return the run of that key. One query, two more when draws are shared.

    Raises: NotYet when the person may not watch it yet.
    """
    found = run_without_watch_check(view, request, key)
    watching.require_may_watch(found, request.user)
    return found


def run_without_watch_check(view: ApiView, request: Request, key: str) -> Run:
    """Return the run of that key, for answers that show none of its draws or drafts. One query."""
    found = runs.unchecked_run_by_key(key)
    require_reach(request, found.special_stage.rally.club_id)
    rallies.require_may_see(found.special_stage.rally, request.user)
    view.game = found.game
    return found


def run_page(view: ApiView, request: Request, key: str) -> RunPage:
    """Return the run as the person may see it, without its log."""
    return runs.run_page(run(view, request, key), request.user, posts=0)


def championship(request: Request, key: str) -> Championship:
    """Return the championship of that key. One query."""
    found = seasons.championship_by_key(key, request.user)
    require_reach(request, found.club_id)
    return found
