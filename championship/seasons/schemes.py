"""How a season counts: points for places, for the power stage, in classes and for teams; dropped rounds, and
tie-breaks. A scheme is checked, and gives the points of a place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.platform.refusals import Refused
from championship.seasons.tie_breaks import METRICS

DEFAULT_POINTS = (25, 18, 15, 12, 10, 8, 6, 4, 2, 1)
MOST_PLACES = 60
MOST_POINTS = 1000
MOST_IN_A_TEAM = 10
MOST_DROPPED = 50
DEFAULT_TIE_BREAKS = ("wins", "best places", "stage wins")


def checked_points(points: Sequence[int], *, field: str = "points") -> list[int]:
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


@dataclass(frozen=True, slots=True)
class Scheme:
    """A points scheme. Points are whole numbers, first place first.

    `points` are for the overall classification of a rally. `power` is for the times of its power stage; empty for no
    such points. `class_points` are for the places within a class; empty for the same as `points`. A team gets the
    overall points of its best `team_counts` drivers. `drop`: how many rounds of the calendar do not count, the worst
    ones of each driver. `tie_breaks`: names of metrics, applied in order. `without_codrivers`: a car that was given to
    the codriver does not score. `registered_only`: a driver who is not registered for the season does not score. A
    driver who does not score has no place in the tables, and drivers behind move up.
    """

    points: tuple[int, ...] = DEFAULT_POINTS
    power: tuple[int, ...] = ()
    class_points: tuple[int, ...] = ()
    team_counts: int = 2
    drop: int = 0
    tie_breaks: tuple[str, ...] = ()
    without_codrivers: bool = False
    registered_only: bool = False

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Scheme:
        """Return the scheme with the stored values. Where one is missing, the default holds. Names that are no fields
        of a scheme are ignored: a later release may have stored them.
        """
        known = {each.name: stored[each.name] for each in fields(cls) if each.name in stored}
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in known.items()
        }
        return cls(**values)


@dataclass(frozen=True, slots=True)
class ReadyMadeScheme:
    """A ready-made scheme from which a club may start."""

    name: str
    label: str | Promise
    scheme: Scheme


WHO_SCORES = tuple(each.name for each in fields(Scheme) if isinstance(each.default, bool))
"""The yes/no options of a scheme. They say who scores. A ready-made scheme leaves them as they are."""
READY_MADE: Mapping[str, ReadyMadeScheme] = {
    each.name: each
    for each in (
        ReadyMadeScheme("ten places", gettext_lazy("Ten places, 25 to 1"), Scheme(tie_breaks=DEFAULT_TIE_BREAKS)),
        ReadyMadeScheme(
            "power stage",
            gettext_lazy("Ten places, and five on the power stage"),
            Scheme(power=(5, 4, 3, 2, 1), tie_breaks=DEFAULT_TIE_BREAKS),
        ),
        ReadyMadeScheme(
            "large field",
            gettext_lazy("Twenty places for a large field, the two worst rounds dropped"),
            Scheme(
                points=(40, 34, 30, 27, 24, 22, 20, 18, 16, 14, 12, 10, 9, 8, 7, 6, 5, 4, 3, 2),
                power=(3, 2, 1),
                drop=2,
                tie_breaks=DEFAULT_TIE_BREAKS,
            ),
        ),
        ReadyMadeScheme(
            "small club",
            gettext_lazy("Six places for a small club, 10 to 1"),
            Scheme(points=(10, 7, 5, 3, 2, 1), tie_breaks=("wins", "best places", "last round")),
        ),
    )
}


def checked(
    *,
    points: Sequence[int],
    power: Sequence[int] = (),
    class_points: Sequence[int] = (),
    team_counts: int = 2,
    drop: int = 0,
    tie_breaks: Sequence[str] = (),
    **who_scores: bool,
) -> Scheme:
    """Return the scheme. `who_scores`: values for WHO_SCORES.

    Raises: Refused with the field that is wrong.
    """
    if not 1 <= team_counts <= MOST_IN_A_TEAM:
        raise Refused(
            _("Between 1 and %(most)d drivers score for a team.") % {"most": MOST_IN_A_TEAM}, field="team_counts"
        )
    if not 0 <= drop <= MOST_DROPPED:
        raise Refused(_("Drop 0 to %(most)d rounds.") % {"most": MOST_DROPPED}, field="drop")
    for name in tie_breaks:
        if name not in METRICS:
            raise Refused(_("There is no tie-break “%(name)s”.") % {"name": name[:40]}, field="tie_breaks")
    if len(set(tie_breaks)) < len(tie_breaks):
        raise Refused(_("Name each tie-break once."), field="tie_breaks")
    return Scheme(
        points=tuple(checked_points(points)),
        power=tuple(checked_points(power, field="power") if power else ()),
        class_points=tuple(checked_points(class_points, field="class_points") if class_points else ()),
        team_counts=team_counts,
        drop=drop,
        tie_breaks=tuple(tie_breaks),
        **who_scores,
    )
