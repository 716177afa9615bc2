"""The club of open stages, which are for everybody. It has no members and no page, and nobody can be invited to it."""

from championship.clubs.models import Club

SLUG = "-open-stage"
"""No name of a club comes to an address that begins so."""


def open_club() -> Club:
    """The one such club, founded with the first open stage. Everybody with a link sees what it has."""
    defaults = {"name": "Open stage", "visibility": Club.Visibility.LINK, "takes_requests": False}
    return Club.objects.get_or_create(slug=SLUG, defaults=defaults)[0]
