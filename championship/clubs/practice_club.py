"""The driving school: the club of practice stages. It has no members and no page, and nobody can be invited to it."""

from championship.clubs.models import Club

SLUG = "-driving-school"
"""No name of a club comes to an address that begins so."""


def practice_club() -> Club:
    """The one school, founded when the first pupil comes."""
    return Club.objects.get_or_create(slug=SLUG, defaults={"name": "Driving school"})[0]
