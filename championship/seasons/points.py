"""Points schemes: check them, and look up the points of a place."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from django.utils.translation import gettext as _

from championship.platform.refusals import Refused

DEFAULT = (25, 18, 15, 12, 10, 8, 6, 4, 2, 1)
MOST_PLACES = 60
MOST_POINTS = 1000


def checked(points: Sequence[int], *, field: str = "points") -> list[int]:
    """Return the scheme as a list, first place first: whole numbers from 0, none higher than the one before, at most 60
    places.

    Raises: Refused with the field when it is not valid.
    """
    if not points or len(points) > MOST_PLACES:
        raise Refused(_("Give points for 1 to 60 places."), field=field)
    if any(not 0 <= value <= MOST_POINTS for value in points):
        raise Refused(_("Points go from 0 to 1000."), field=field)
    if any(later > earlier for earlier, later in pairwise(points)):
        raise Refused(_("No place may give more points than the one before."), field=field)
    return list(points)


def worth(place: int | None, points: Sequence[int]) -> int:
    """Return the points of a place. Drivers who share a place each get its points: two firsts both get the points of
    the first place.
    """
    return points[place - 1] if place is not None and place <= len(points) else 0
