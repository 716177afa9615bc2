"""The form of a points scheme: a table of points, how many scores count, which drivers score, tie-breaks in order, and
behind "More" what few seasons need.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.platform.bounded_input import whole_number
from championship.platform.refusals import Refused
from championship.rallies.clock.timekeeping_forms import mark_as_having_default
from championship.seasons.number_fields import NumberField, RoundsField, SizesField
from championship.seasons.scheme_words import bonus_label, who_says
from championship.seasons.schemes import (
    MOST_DROPPED,
    MOST_IN_A_TEAM,
    MOST_PLACES,
    MOST_POINTS,
    TIE_BREAKS,
    WHO_SCORES,
    Scheme,
    plain_number,
)
from championship.seasons.scoring.values import (
    BEST,
    COUNTED,
    DIVIDE,
    EACH,
    KEEP_THE_PLACE,
    NONE,
    RERANK,
    SUM,
    TeamScheme,
    as_number,
)
from championship.seasons.season_plans import checked_scheme

USUAL_PLACES = 10
PARTS = re.compile(r"\s*(\d{1,2})\s*[-–]\s*(\d{1,2})\s*:\s*(\d{1,2})\s*")
"""A part of the calendar as people write it: rounds from and to, and how many of them count."""
TOGETHER = re.compile(r"\s*(\d{1,2})\s*[-–]\s*(\d{1,2})\s*")
"""Rounds of one meeting as people write them."""
MOST_JOKER = 10
KINDS = ("fastest_lap", "pole", "stage_win")
SHARED = ("fastest_lap", "pole")
"""The bonuses that several cars may divide."""


class SchemeForm(forms.Form):
    """A points scheme as a table: for each place, the points overall, on the power stage and in a class.

    `places`: how many rows the table has. Tie-breaks are a list of names in order, kept in a hidden field.
    """

    COLUMNS = ("points", "power", "class_points")
    PLAIN = ("team_counts", "drop", *WHO_SCORES)
    MORE = (
        *("participation", "start", "sizes", "best", "parts", "never", "together", "nominated", "joker"),
        *("least_starts", "shared"),
        *("better_car", "excluded_may_be_dropped", "guests_keep", "equal_divide", "only_counted", "tie_breaks_without"),
        *("team_how", "team_power", "team_bonus", "team_drops"),
    )

    places = forms.IntegerField(min_value=1, max_value=MOST_PLACES, widget=forms.HiddenInput)
    tie_breaks = forms.CharField(required=False, widget=forms.HiddenInput, max_length=400)
    team_counts = forms.IntegerField(
        label=gettext_lazy("Drivers who score for a team"), min_value=1, max_value=MOST_IN_A_TEAM
    )
    drop = forms.IntegerField(
        label=gettext_lazy("Worst rounds dropped"),
        min_value=0,
        max_value=MOST_DROPPED,
        help_text=gettext_lazy("Of the whole calendar; a missed round is dropped first. With 0 every round counts."),
    )
    without_codrivers = forms.BooleanField(
        label=gettext_lazy("A car that the codriver drove does not score"),
        required=False,
        help_text=gettext_lazy(
            "For cars that were given to the codriver, before or after the start. Cars behind move up."
        ),
    )
    registered_only = forms.BooleanField(
        label=gettext_lazy("Only drivers who are registered for the season score"),
        required=False,
        help_text=gettext_lazy(
            "Drivers behind unregistered ones move up. Drivers who register later also score in earlier "
            "rounds; drivers who withdraw score in no later ones."
        ),
    )

    participation = NumberField(
        label=gettext_lazy("Points for everybody who is classified"), min_value=0, max_value=MOST_POINTS
    )
    start = NumberField(label=gettext_lazy("Points for everybody who starts"), min_value=0, max_value=MOST_POINTS)
    sizes = SizesField(label=gettext_lazy("Points by the number of cars"))
    best = forms.IntegerField(
        label=gettext_lazy("Only the best rounds count: how many"),
        min_value=1,
        max_value=MOST_DROPPED,
        required=False,
        help_text=gettext_lazy("Instead of worst rounds dropped."),
    )
    parts = forms.CharField(
        label=gettext_lazy("The best of each part of the season"),
        max_length=120,
        required=False,
        help_text=gettext_lazy("For example 1-7: 4, 8-15: 4 for the best 4 of rounds 1 to 7 and of rounds 8 to 15."),
    )
    never = RoundsField(label=gettext_lazy("Rounds that are never dropped"))
    together = forms.CharField(
        label=gettext_lazy("Rounds that are dropped together"),
        max_length=200,
        required=False,
        help_text=gettext_lazy(
            "For example 1-2, 3-5: rounds 1 and 2 are one meeting, rounds 3 to 5 the next. They are counted and "
            "dropped as one."
        ),
    )
    nominated = forms.IntegerField(
        label=gettext_lazy("Drivers nominate rounds: how many"),
        min_value=1,
        max_value=MOST_DROPPED,
        required=False,
        help_text=gettext_lazy(
            "Only these count for a driver; with “only the best rounds”, the best of them. Drivers nominate a round on "
            "the page of registrations before it starts."
        ),
    )
    joker = NumberField(
        label=gettext_lazy("Factor of nominated rounds"),
        min_value=1,
        max_value=MOST_JOKER,
        help_text=gettext_lazy(
            "A nominated round is a joker: it counts so many times for its driver, not for a team, and all other "
            "rounds count once."
        ),
    )
    least_starts = forms.IntegerField(
        label=gettext_lazy("Rounds that a driver must have started"),
        min_value=1,
        max_value=MOST_DROPPED,
        required=False,
        help_text=gettext_lazy("Drivers who cannot reach this any more stand behind all others."),
    )
    shared = forms.ChoiceField(
        label=gettext_lazy("Drivers who share a car"),
        choices=[
            ("", gettext_lazy("no car is shared")),
            (DIVIDE, gettext_lazy("divide its points")),
            (EACH, gettext_lazy("get all its points each")),
            (NONE, gettext_lazy("get no points")),
        ],
        required=False,
        help_text=gettext_lazy("Organisers say who shared a car, on the page “Points of rounds”."),
    )
    better_car = forms.BooleanField(
        label=gettext_lazy("A driver of two cars gets the points of the better one"), required=False
    )
    excluded_may_be_dropped = forms.BooleanField(
        label=gettext_lazy("A round from which a driver was excluded may be dropped"), required=False
    )
    guests_keep = forms.BooleanField(
        label=gettext_lazy("Cars that do not score keep their places"),
        required=False,
        help_text=gettext_lazy("Those points go to nobody. Otherwise the cars behind move up."),
    )
    equal_divide = forms.BooleanField(
        label=gettext_lazy("Cars on an equal place divide the points of the places that they take up"), required=False
    )
    only_counted = forms.BooleanField(
        label=gettext_lazy("Tie-breaks look only at the rounds that count"), required=False
    )
    tie_breaks_without = RoundsField(label=gettext_lazy("Rounds that tie-breaks do not look at"))
    team_how = forms.ChoiceField(
        label=gettext_lazy("A team gets"),
        choices=[
            (SUM, gettext_lazy("the sum of its drivers' points")),
            (RERANK, gettext_lazy("points for the places among the cars that count")),
        ],
        required=False,
    )
    team_power = forms.BooleanField(
        label=gettext_lazy("Points of the power stage count for teams"), required=False, initial=True
    )
    team_bonus = forms.BooleanField(label=gettext_lazy("Bonuses count for teams"), required=False, initial=True)
    team_drops = forms.BooleanField(label=gettext_lazy("Teams drop rounds as drivers do"), required=False)

    def __init__(self, *args: Any, scheme: Scheme, rows: int = 0, **kwargs: Any) -> None:
        longest = max(len(getattr(scheme, column)) for column in self.COLUMNS)
        rows = min(MOST_PLACES, max(USUAL_PLACES, longest, rows))
        said = {
            "places": rows,
            "tie_breaks": ",".join(scheme.tie_breaks),
            **{name: getattr(scheme, name) for name in self.PLAIN},
            **_said_further(scheme),
        }
        self.before = scheme
        kwargs["initial"] = {**said, **kwargs.get("initial", {})}
        super().__init__(*args, **kwargs)
        asked = str(self.data.get("places", "")) if self.is_bound else str(rows)
        more = whole_number(asked, digits=3)
        self.rows = rows if more is None else min(MOST_PLACES, more)
        for column in self.COLUMNS:
            worth = getattr(scheme, column)
            for place in range(1, self.rows + 1):
                self.fields[f"{column}_{place}"] = NumberField(
                    label=self._label(column) % {"place": place},
                    min_value=0,
                    max_value=MOST_POINTS,
                    initial=worth[place - 1] if place <= len(worth) else None,
                )

        mark_as_having_default([self.fields["team_how"], self.fields["shared"]])
        for kind in KINDS:
            self.fields[f"bonus_{kind}"] = NumberField(label=bonus_label(kind), min_value=0, max_value=MOST_POINTS)
            self.fields[f"within_{kind}"] = forms.IntegerField(
                label=_("only for the first places"), min_value=1, max_value=MOST_PLACES, required=False
            )
        for kind in SHARED:
            self.fields[f"shared_{kind}"] = forms.ChoiceField(
                label=_("if several have it"),
                choices=[(EACH, _("each gets the points")), (DIVIDE, _("they divide the points"))],
                required=False,
            )

    def bonus_fields(self) -> list[tuple[str, str, list[forms.BoundField]]]:
        """Return the bonuses: the name of each, who says who gets it, and its fields."""
        return [
            (
                capfirst(bonus_label(kind)),
                who_says(kind),
                [self[f"{what}_{kind}"] for what in ("bonus", "within", "shared") if f"{what}_{kind}" in self.fields],
            )
            for kind in KINDS
        ]

    def more_fields(self) -> list[forms.BoundField]:
        """Return the other fields behind "More"."""
        return [self[name] for name in self.MORE]

    @property
    def opened(self) -> bool:
        """Whether "More" is open: something in it is used or wrong."""
        names = (*self.MORE, *(f"{what}_{kind}" for kind in KINDS for what in ("bonus", "within")))
        return bool(self.before.further) or any(self[name].errors for name in names)

    def clean_parts(self) -> list[dict[str, Any]]:
        """Return the parts of the season as they are stored."""
        found, bounds = [], []
        for text in filter(None, map(str.strip, self.cleaned_data["parts"].split(","))):
            read = PARTS.fullmatch(text)
            if read is None or not 1 <= int(read[1]) <= int(read[2]):
                raise forms.ValidationError(_("Write parts like 1-7: 4, 8-15: 4."))
            bounds.append((int(read[1]), int(read[2])))
            found.append({"rounds": [*bounds[-1]], "best": int(read[3])})
        if _overlap(bounds):
            raise forms.ValidationError(_("A round belongs to one part only."))
        return found

    def clean_together(self) -> list[list[int]]:
        """Return the meetings of several rounds as they are stored."""
        found: list[tuple[int, int]] = []
        for text in filter(None, map(str.strip, self.cleaned_data["together"].split(","))):
            read = TOGETHER.fullmatch(text)
            if read is None or not 1 <= int(read[1]) < int(read[2]):
                raise forms.ValidationError(_("Write rounds like 1-2, 3-5."))
            found.append((int(read[1]), int(read[2])))
        if _overlap(found):
            raise forms.ValidationError(_("A round belongs to one meeting only."))
        return [list(bounds) for bounds in sorted(found)]

    @staticmethod
    def _label(column: str) -> str:
        return {
            "points": _("Points for place %(place)d"),
            "power": _("Points for place %(place)d on the power stage"),
            "class_points": _("Points for place %(place)d in a class"),
        }[column]

    def table(self) -> list[tuple[int, list[forms.BoundField]]]:
        """Return the rows: a place and its fields."""
        return [(at, [self[f"{column}_{at}"] for column in self.COLUMNS]) for at in range(1, self.rows + 1)]

    def plain_fields(self) -> list[forms.BoundField]:
        """Return the fields beside the table."""
        return [self[name] for name in ("name", *self.PLAIN) if name in self.fields]

    @property
    def chosen(self) -> list[str]:
        """The names of the chosen tie-breaks, in order."""
        value = self["tie_breaks"].value() or ""
        return [name for name in str(value).split(",") if name in TIE_BREAKS]

    @property
    def left(self) -> list[str]:
        """The tie-breaks that are not chosen."""
        return [name for name in TIE_BREAKS if name not in self.chosen]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        try:
            cleaned["scheme"] = checked_scheme(
                Scheme(
                    points=self._column("points"),
                    power=self._column("power"),
                    class_points=self._column("class_points"),
                    tie_breaks=tuple(self.chosen),
                    further=self._further(cleaned),
                    **{name: cleaned[name] for name in self.PLAIN},
                )
            )
        except Refused as refusal:
            field = f"{refusal.field}_1" if refusal.field in self.COLUMNS else refusal.field
            self.add_error(field if field in self.fields else None, str(refusal.message))
        return cleaned

    def _further(self, cleaned: dict[str, Any]) -> dict[str, Any]:
        """Return what the fields behind "More" say, with what is stored and has no field."""
        found = {name: value for name, value in self.before.further.items() if name not in (*IN_FORM, "version")}
        bonus = {
            kind: {"points": plain_number(cleaned[f"bonus_{kind}"])}
            | ({"within": cleaned[f"within_{kind}"]} if cleaned[f"within_{kind}"] else {})
            | ({"shared": DIVIDE} if cleaned.get(f"shared_{kind}") == DIVIDE else {})
            for kind in KINDS
            if cleaned[f"bonus_{kind}"]
        }
        if cleaned["best"] and cleaned["parts"]:
            self.add_error("best", _("Choose one: the best rounds, or the best of each part."))
        drops: dict[str, Any] = {"best": cleaned["best"]} if cleaned["best"] else {}
        drops = {"parts": cleaned["parts"]} if cleaned["parts"] else drops
        drops |= {name: cleaned[name] for name in ("never", "together") if cleaned[name]}
        joker = plain_number(cleaned["joker"] or 1)
        if joker != 1 and not cleaned["nominated"]:
            self.add_error("joker", _("Say also how many rounds drivers nominate."))
        if joker == 1 and cleaned["nominated"] and cleaned["together"]:
            self.add_error("together", _("Drivers nominate rounds one by one: leave one of the two out."))
        teams = {name: value for name, value in self.before.further.get("teams", {}).items() if name not in OF_TEAMS}
        teams |= {"how": RERANK} if cleaned["team_how"] == RERANK else {}
        teams |= {name: False for name in ("power", "bonus") if not cleaned[f"team_{name}"]}
        own = self.before.further.get("teams", {}).get("drops")
        teams |= {"drops": own if isinstance(own, dict) else True} if cleaned["team_drops"] else {}
        said = {
            "bonus": bonus,
            "participation": plain_number(cleaned["participation"] or 0),
            "start": plain_number(cleaned["start"] or 0),
            "two_cars": BEST if cleaned["better_car"] else "",
            "equal_places": DIVIDE if cleaned["equal_divide"] else "",
            "drops": drops,
            "nominated": cleaned["nominated"] or 0,
            "joker": joker if joker != 1 else 0,
            "sizes": cleaned["sizes"],
            "least_starts": cleaned["least_starts"] or 0,
            "shared": cleaned["shared"],
            "excluded_may_be_dropped": cleaned["excluded_may_be_dropped"],
            "guests": KEEP_THE_PLACE if cleaned["guests_keep"] else "",
            "tie_breaks_count": COUNTED if cleaned["only_counted"] else "",
            "tie_breaks_without": cleaned["tie_breaks_without"],
            "teams": teams,
        }
        return found | {name: value for name, value in said.items() if value}

    def _column(self, column: str) -> tuple[float, ...]:
        """Return a column down to the last place with points. A gap in it is an error of the form."""
        found = [self.cleaned_data.get(f"{column}_{place}") for place in range(1, self.rows + 1)]
        while found and found[-1] is None:
            found.pop()
        if None in found:
            self.add_error(f"{column}_{found.index(None) + 1}", _("Leave no place out."))
        return tuple(plain_number(value or 0) for value in found)


def _overlap(bounds: Sequence[tuple[int, int]]) -> bool:
    rounds = [number for first, last in bounds for number in range(first, last + 1)]
    return len(set(rounds)) < len(rounds)


OF_TEAMS = ("how", "power", "bonus", "drops")
IN_FORM = (
    *("bonus", "participation", "start", "equal_places", "two_cars", "drops", "nominated", "joker", "least_starts"),
    *("sizes", "shared"),
    *("excluded_may_be_dropped", "guests", "tie_breaks_count", "tie_breaks_without", "teams"),
)
"""What the form shows of `Scheme.further`."""


def _said_further(scheme: Scheme) -> dict[str, Any]:
    """Return the initial values of the fields behind "More"."""
    rules = scheme.rules()
    teams = rules.teams or TeamScheme()
    said: dict[str, Any] = {
        "participation": as_number(rules.participation) or None,
        "start": as_number(rules.start) or None,
        "equal_divide": rules.equal_places == DIVIDE,
        "better_car": rules.two_cars == BEST,
        "never": sorted(rules.drops.never),
        "together": ", ".join(f"{first}-{last}" for first, last in rules.drops.together),
        "joker": plain_number(float(rules.joker)) if rules.joker != 1 else None,
        "sizes": [{"cars": size.cars, "points": list(map(as_number, size.points))} for size in rules.sizes],
        "least_starts": rules.least_starts or None,
        "tie_breaks_without": sorted(rules.tie_breaks_without),
        "best": rules.drops.best or None,
        "nominated": rules.nominated or None,
        "shared": scheme.further.get("shared", ""),
        "parts": ", ".join(f"{part.first}-{part.last}: {part.best}" for part in rules.drops.parts),
        "excluded_may_be_dropped": rules.excluded_may_be_dropped,
        "guests_keep": rules.guests == KEEP_THE_PLACE,
        "only_counted": rules.tie_breaks_count == COUNTED,
        "team_how": teams.how,
        "team_power": teams.power,
        "team_bonus": teams.bonus,
        "team_drops": bool(teams.drops),
    }
    for kind, bonus in rules.bonus.items():
        said |= {f"bonus_{kind}": as_number(bonus.points), f"within_{kind}": bonus.within}
        said |= {f"shared_{kind}": bonus.shared}
    return said


def moved(names: Sequence[str], how: str, name: str) -> tuple[str, ...]:
    """Return a list of tie-breaks with one of them moved up or down, added at the end, or removed; unchanged for any
    other action.
    """
    found = [each for each in names if each != name]
    if name not in TIE_BREAKS or how not in ("up", "down", "add", "remove"):
        return tuple(names)
    at = names.index(name) if name in names else len(names)
    if how == "add":
        found.append(name)
    elif how != "remove":
        found.insert(max(0, at - 1) if how == "up" else at + 1, name)
    return tuple(found)
