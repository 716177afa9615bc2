"""The driving school: the club of practice stages. It has no members and no page, and nobody can be invited to it."""

from championship.clubs.models import Club

SLUG = "-driving-school"
"""It begins with a hyphen, so no name of a club gives the same slug."""


def practice_club() -> Club:
    """The one school, created at the first call."""
    return Club.objects.get_or_create(slug=SLUG, defaults={"name": "Driving school"})[0]
