"""Who may see the content of a club: the one rule, used for pages, papers, pictures, records, embeds and the API.

public: everybody, and search engines. by link: everybody who has the address of a rally or a championship. members:
members, and drivers of the rally. Protests, the stewards' room and the log are always for members only.
"""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.accounts.models import User
from championship.clubs.models import Club
from championship.clubs.selectors import is_member
from championship.platform.refusals import NotYet
from championship.platform.web import headers

Viewer = User | AnonymousUser
ROOM_READERS = gettext_lazy("The members of the club and all drivers who take part can read this.")
"""Who can read what is in the stewards' room: the same in every club."""


def may_see(club: Club, viewer: Viewer) -> bool:
    """Whether the viewer may see the club's rallies and championships: no query; one if they are for members only."""
    return club.visibility != Club.Visibility.MEMBERS or is_member(viewer, club)


def page_of_club(club: Club, *, member: bool) -> str | None:
    """The address of the club's page for a reader who may open it: a member, or anybody where the club is public."""
    return club.get_absolute_url() if member or club.visibility == Club.Visibility.PUBLIC else None


def require_may_see(club: Club, viewer: Viewer) -> None:
    """Check that the viewer may see the club's content.

    Raises: Http404 or NotYet when the viewer may not (see `access_error`).
    """
    if not may_see(club, viewer):
        raise access_error(viewer)


def require_member(club: Club, viewer: Viewer) -> None:
    """The same for content that is always for members only.

    Raises: Http404 for a viewer who is no member; NotYet for a visitor, who may sign in.
    """
    if not is_member(viewer, club):
        raise access_error(viewer)


def readers(club: Club) -> str:
    """A sentence that says who can read what a rally of this club shows, such as the reasons on its results."""
    if club.visibility == Club.Visibility.PUBLIC:
        return _("Everybody can read this.")
    if club.visibility == Club.Visibility.LINK:
        return _("Everyone with the link can read this.")
    return str(ROOM_READERS)


def access_error(viewer: Viewer) -> Exception:
    """The exception for a viewer who may not see something. A visitor is asked to sign in; others get a 404."""
    return Http404() if viewer.is_authenticated else NotYet("clubs/members_only.html", {})


def allow_indexing_if_public(request: HttpRequest, club: Club) -> None:
    """Record that the page shows this club: search engines may index the page if the club is public (headers.py)."""
    headers.allow_indexing(request, club.visibility == Club.Visibility.PUBLIC)
