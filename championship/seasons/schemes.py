"""How a season counts, as people write it and as it is stored: points for places, for the power stage, in classes and
for teams; dropped rounds; tie-breaks; and everything else that `scoring` knows. A scheme is checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.platform.refusals import Refused
from championship.seasons.scoring import document_nodes, season_file
from championship.seasons.scoring.document_nodes import SeasonFileError
from championship.seasons.scoring.season_file import read_scheme
from championship.seasons.scoring.values import BEST, EACH, SUM, SeasonScheme


@dataclass(frozen=True, slots=True)
class TieBreak:
    """A tie-break: its name in `scoring.ties`, and in words what the one in front has."""

    measure: str
    label: str | Promise


TIE_BREAKS: Mapping[str, TieBreak] = {
    "wins": TieBreak("wins", gettext_lazy("more wins")),
    "podiums": TieBreak("podiums", gettext_lazy("more podiums")),
    "best places": TieBreak("places", gettext_lazy("better places: most firsts, then most seconds, and so on")),
    "stage wins": TieBreak("stage_wins", gettext_lazy("more stages won")),
    "power points": TieBreak("power", gettext_lazy("more points on power stages")),
    "fewer retirements": TieBreak("fewer_retirements", gettext_lazy("fewer retirements")),
    "best round": TieBreak("best_round", gettext_lazy("more points in the best round")),
    "last round": TieBreak("best_of_last", gettext_lazy("the better place in the latest round")),
    "earliest best": TieBreak("earliest_best", gettext_lazy("the better best place, or the same one earlier")),
    "latest best": TieBreak("latest_best", gettext_lazy("the better best place, or the same one later")),
    "starts": TieBreak("starts", gettext_lazy("more rounds started")),
    "head to head": TieBreak("head_to_head", gettext_lazy("more rounds in front of the other")),
}
"""The tie-breaks by their names in a stored scheme."""
STORED_NAMES = {each.measure: name for name, each in TIE_BREAKS.items()}
"""The same names by those in `scoring.ties`."""
VERSION = 1
"""The version of the form in which `Scheme.further` is stored."""
DEFAULT_POINTS = (25, 18, 15, 12, 10, 8, 6, 4, 2, 1)
MOST_PLACES = 60
MOST_POINTS = 1000
MOST_IN_A_TEAM = 10
MOST_DROPPED = 50
DEFAULT_TIE_BREAKS = ("wins", "best places", "stage wins")


def checked_points(points: Sequence[float], *, field: str = "points") -> list[int | float]:
    """Return the scheme as a list, first place first: numbers from 0, to a hundredth, none higher than the one before,
    at most 60 places.

    Raises: Refused with the field when it is not valid.
    """
    if not points or len(points) > MOST_PLACES:
        raise Refused(_("Give points for 1 to 60 places."), field=field)
    if any(not 0 <= value <= MOST_POINTS for value in points):
        raise Refused(_("Points go from 0 to 1000."), field=field)
    if any(round(value, 2) != value for value in points):
        raise Refused(_("Points have at most two decimals."), field=field)
    if any(later > earlier for earlier, later in pairwise(points)):
        raise Refused(_("No place may give more points than the one before."), field=field)
    return [plain_number(value) for value in points]


def plain_number(value: float) -> int | float:
    """Return a number as it is stored: without decimals where it is whole."""
    return int(value) if value == int(value) else float(value)


@dataclass(frozen=True, slots=True)
class Scheme:
    """A points scheme. Points are numbers with at most two decimals, first place first.

    `points` are for the overall classification of a rally. `power` is for the times of its power stage; empty for no
    such points. `class_points` are for the places within a class; empty for the same as `points`. A team gets the
    overall points of its best `team_counts` drivers. `drop`: how many rounds of the calendar do not count, the worst
    ones of each driver. `tie_breaks`: names of metrics, applied in order. `without_codrivers`: a car that was given to
    the codriver does not score. `registered_only`: a driver who is not registered for the season does not score. A
    driver who does not score has no place in the tables, and drivers behind move up.

    `further`: everything else that a scheme of a season file can say (docs/seasons.md), in the form of that file, with
    its `version`; empty for nothing. It goes before what the other fields say.
    """

    points: tuple[float, ...] = DEFAULT_POINTS
    power: tuple[float, ...] = ()
    class_points: tuple[float, ...] = ()
    team_counts: int = 2
    drop: int = 0
    tie_breaks: tuple[str, ...] = ()
    without_codrivers: bool = False
    registered_only: bool = False
    further: Mapping[str, Any] = field(default_factory=dict)

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

    def document(self, classes: Sequence[str] = ()) -> dict[str, Any]:
        """Return the scheme as that of a season file. `classes`: the classes of the season. They are its divisions, in
        this order, where it has any. Numbers that a restored season has beyond those of season files are cut to them,
        so that its pages open.
        """
        further = {name: value for name, value in self.further.items() if name != "version"}
        if classes and "divisions" in further:
            further["divisions"] = {**further["divisions"], "names": list(classes)}
        teams = {
            "how": SUM,
            "cars": min(self.team_counts, season_file.MOST_RESULTS),
            "members": BEST,
            **further.pop("teams", {}),
        }
        own = further.pop("classes", {})
        if "bonus" in further:  # where nobody chose, each car has the points of an equal feat
            bonus = further["bonus"].items()
            further["bonus"] = {kind: said if kind == "stage_win" else {"shared": EACH, **said} for kind, said in bonus}
        worst = {"worst": min(self.drop, season_file.MOST_ROUNDS)}
        if further.get("drops") and not {"worst", "best", "parts"} & further["drops"].keys():
            further["drops"] = {**worst, **further["drops"]}
        class_points = {"points": _cut(self.class_points)} if self.class_points else {}
        return {
            "points": _cut(self.points),
            "power": _cut(self.power),
            "drops": worst,
            "tie_breaks": [TIE_BREAKS[name].measure for name in self.tie_breaks],
            "classes": {name: own[name] if own.get(name, {}).get("points") else class_points for name in classes},
            "teams": teams,
            **further,
        }

    def rules(self, classes: Sequence[str] = ()) -> SeasonScheme:
        """Return the scheme as `scoring` reads it.

        Raises: SeasonFileError when `further` says something that is no scheme.
        """
        return read_scheme(self.document(classes))


def _cut(points: Sequence[float]) -> list[float]:
    return [max(0, min(value, document_nodes.MOST_POINTS)) for value in points[: document_nodes.MOST_PLACES]]


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


def checked_further(further: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a scheme says besides its columns.

    Raises: Refused (field further) with the path of the first value that is wrong.
    """
    known = dict(further)
    version = known.pop("version", VERSION)
    if version != VERSION:
        raise Refused(_("This scheme was written by a newer version."), field="further")
    if {"points", "power", "tie_breaks"} & known.keys():
        raise Refused(_("These have fields of their own: points, power, tie_breaks."), field="further")
    try:
        Scheme(further=known).rules(tuple(known.get("classes") or ()))
    except (SeasonFileError, TypeError, AttributeError) as error:
        raise Refused(_("The scheme cannot be read: %(why)s") % {"why": error}, field="further") from error
    return {"version": VERSION, **known} if known else {}


def checked(
    *,
    points: Sequence[float],
    power: Sequence[float] = (),
    class_points: Sequence[float] = (),
    team_counts: int = 2,
    drop: int = 0,
    tie_breaks: Sequence[str] = (),
    further: Mapping[str, Any] | None = None,
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
        if name not in TIE_BREAKS:
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
        further=checked_further(further or {}),
        **who_scores,
    )
