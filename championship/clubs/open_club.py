"""The club of open stages, which are for everybody. It has no members and no page, and nobody can be invited."""

from championship.clubs.models import Club

SLUG = "-open-stage"
"""It begins with a hyphen, so no name of a club gives the same slug."""


def open_club() -> Club:
    """The one such club, created with the first open stage. Everybody with a link may see its content."""
    defaults = {"name": "Open stage", "visibility": Club.Visibility.LINK, "takes_requests": False}
    return Club.objects.get_or_create(slug=SLUG, defaults=defaults)[0]
