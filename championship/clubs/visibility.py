"""Who may see what a club has: the one rule. Pages, papers, pictures, records, frames and programs ask here.

public: everybody, and search engines. by link: everybody who has the address of a rally or a championship. members:
members, and who drives in the rally. Protests, the stewards' room and the log are for members whatever it is.
"""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.clubs.selectors import is_member
from championship.refusals import NotYet

Viewer = User | AnonymousUser


def may_see(club: Club, viewer: Viewer) -> bool:
    """Whether the viewer may see the club's rallies and championships: no query, one where they are for members."""
    return club.visibility != Club.Visibility.MEMBERS or is_member(viewer, club)


def let_in(club: Club, viewer: Viewer) -> None:
    """Raises: what `turned_away` gives, for who may not see what the club has."""
    if not may_see(club, viewer):
        raise turned_away(viewer)


def require_inside(club: Club, viewer: Viewer) -> None:
    """The same for what is never for others than members."""
    if not is_member(viewer, club):
        raise turned_away(viewer)


def turned_away(viewer: Viewer) -> Exception:
    """Ask a visitor to sign in, and tell nothing else; to others there is no such thing."""
    return Http404() if viewer.is_authenticated else NotYet("clubs/members_only.html", {})


def note_shown(request: HttpRequest, club: Club) -> None:
    """The page shows this club: search engines may keep it where the club is public (headers.py)."""
    request.may_be_indexed = club.visibility == Club.Visibility.PUBLIC  # type: ignore[attr-defined]
