"""The form of a points scheme: a table of points, how many scores count, which drivers score, and
tie-breaks in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.platform.bounded_input import whole_number
from championship.platform.refusals import Refused
from championship.seasons.schemes import MOST_DROPPED, MOST_IN_A_TEAM, MOST_PLACES, MOST_POINTS, WHO_SCORES, Scheme
from championship.seasons.season_plans import checked_scheme
from championship.seasons.tie_breaks import METRICS

USUAL_PLACES = 10


class SchemeForm(forms.Form):
    """A points scheme as a table: for each place, the points overall, on the power stage and in a class.

    `places`: how many rows the table has. Tie-breaks are a list of names in order, kept in a hidden field.
    """

    COLUMNS = ("points", "power", "class_points")
    PLAIN = ("team_counts", "drop", *WHO_SCORES)

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
            "rounds; drivers who withdraw score in none."
        ),
    )

    def __init__(self, *args: Any, scheme: Scheme, rows: int = 0, **kwargs: Any) -> None:
        longest = max(len(getattr(scheme, column)) for column in self.COLUMNS)
        rows = min(MOST_PLACES, max(USUAL_PLACES, longest, rows))
        said = {
            "places": rows,
            "tie_breaks": ",".join(scheme.tie_breaks),
            **{name: getattr(scheme, name) for name in self.PLAIN},
        }
        kwargs["initial"] = {**said, **kwargs.get("initial", {})}
        super().__init__(*args, **kwargs)
        asked = str(self.data.get("places", "")) if self.is_bound else str(rows)
        more = whole_number(asked, digits=3)
        self.rows = rows if more is None else min(MOST_PLACES, more)
        for column in self.COLUMNS:
            worth = getattr(scheme, column)
            for place in range(1, self.rows + 1):
                self.fields[f"{column}_{place}"] = forms.IntegerField(
                    label=self._label(column) % {"place": place},
                    min_value=0,
                    max_value=MOST_POINTS,
                    required=False,
                    initial=worth[place - 1] if place <= len(worth) else None,
                )

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
        return [name for name in str(value).split(",") if name in METRICS]

    @property
    def left(self) -> list[str]:
        """The tie-breaks that are not chosen."""
        return [name for name in METRICS if name not in self.chosen]

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
                    **{name: cleaned[name] for name in self.PLAIN},
                )
            )
        except Refused as refusal:
            field = f"{refusal.field}_1" if refusal.field in self.COLUMNS else refusal.field
            self.add_error(field if field in self.fields else None, str(refusal.message))
        return cleaned

    def _column(self, column: str) -> tuple[int, ...]:
        """Return a column down to the last place with points. A gap in it is an error of the form."""
        found = [self.cleaned_data.get(f"{column}_{place}") for place in range(1, self.rows + 1)]
        while found and found[-1] is None:
            found.pop()
        if None in found:
            self.add_error(f"{column}_{found.index(None) + 1}", _("Leave no place out."))
        return tuple(value or 0 for value in found)


def moved(names: Sequence[str], how: str, name: str) -> tuple[str, ...]:
    """Return a list of tie-breaks with one of them moved up or down, added at the end, or removed; unchanged for any
    other action.
    """
    found = [each for each in names if each != name]
    if name not in METRICS or how not in ("up", "down", "add", "remove"):
        return tuple(names)
    at = names.index(name) if name in names else len(names)
    if how == "add":
        found.append(name)
    elif how != "remove":
        found.insert(max(0, at - 1) if how == "up" else at + 1, name)
    return tuple(found)
