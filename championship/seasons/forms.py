"""Forms of an existing championship: its name, rounds, classes, teams and registrations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.clubs.models import Club, Role
from championship.rallies.clock.timekeeping_forms import mark_as_having_default
from championship.rallies.models import Rally
from championship.seasons import selectors
from championship.seasons.models import Championship, Registration, Round, Team
from championship.seasons.number_fields import NumberField, PointsField
from championship.seasons.scheme_forms import SchemeForm
from championship.seasons.scheme_words import bonus_label
from championship.seasons.schemes import MOST_POINTS
from championship.seasons.scoring.values import POINT
from championship.seasons.services.adjusting import RoundScoring
from championship.seasons.wizard_forms import lines

Planned = tuple[date | None, int | None]
"""A round's day and the number of its power stage."""


def day_field(**words: Any) -> forms.DateField:
    """Return the field of a day in the calendar; empty where the day is not fixed yet."""
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    return forms.DateField(label=_("Day"), required=False, widget=widget, **words)


class NamedSchemeForm(SchemeForm):
    """A championship's name and scheme."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=80, validators=[one_line])
    field_order = ("name", *SchemeForm.PLAIN)


class ClassesForm(forms.Form):
    """Car classes, one in each line."""

    classes = forms.CharField(
        label=gettext_lazy("Car classes"),
        widget=forms.Textarea(attrs={"rows": 5}),
        required=False,
        max_length=400,
        help_text=gettext_lazy("One per line. A class that somebody has driven in must stay."),
    )

    def names(self) -> list[str]:
        """Return the classes in their order."""
        return lines(self.cleaned_data["classes"])


class RoundForm(forms.Form):
    """An existing rally that becomes a round."""

    rally = forms.ModelChoiceField(label=gettext_lazy("Rally"), queryset=Rally.objects.none())
    power_stage = forms.IntegerField(
        label=gettext_lazy("Power stage"),
        min_value=0,
        max_value=24,
        required=False,
        help_text=gettext_lazy("Empty for the last stage, and for none in a round of one stage; 0 for none."),
    )

    def __init__(self, *args: Any, club: Club, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        fields["rally"].queryset = selectors.rallies_without_round(club)
        fields["planned_for"] = day_field()


class RoundsForm(forms.Form):
    """Day and power stage of each round; rounds that are over cannot be changed."""

    def __init__(self, *args: Any, rounds: Sequence[Round], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rounds = rounds
        for each in rounds:
            over = each.rally.status == Rally.Status.FINISHED
            self.fields[f"day_{each.pk}"] = day_field(initial=each.planned_for, disabled=over)
            self.fields[f"power_{each.pk}"] = forms.IntegerField(
                label=_("Power stage"),
                min_value=0,
                max_value=24,
                required=False,
                initial=each.power_stage,
                disabled=over,
                help_text=_("Empty for the last stage; 0 for none."),
            )

    def rows(self) -> list[tuple[Round, list[forms.BoundField]]]:
        """Return the rounds with their fields."""
        return [(each, [self[f"day_{each.pk}"], self[f"power_{each.pk}"]]) for each in self.rounds]

    def planned(self) -> dict[int, Planned]:
        """Return the argument for scheduling.change_calendar."""
        said = self.cleaned_data
        return {each.pk: (said[f"day_{each.pk}"], said[f"power_{each.pk}"]) for each in self.rounds}


class RoundPointsForm(forms.Form):
    """What each round counts: a factor, points of its own, and who gets the bonuses that the scheme has."""

    def __init__(
        self,
        *args: Any,
        rounds: Sequence[Round],
        bonuses: Sequence[str],
        drivers: Mapping[int, Sequence[User]],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.rounds, self.named = rounds, [f"{kind}_by" for kind in ("fastest_lap", "pole") if kind in bonuses]
        for each in rounds:
            self.fields[f"factor_{each.pk}"] = NumberField(
                label=_("Factor"),
                min_value=0,
                max_value=10,
                initial=Decimal(each.factor) / 100,
                help_text=_("1 as usual, 2 for double points, 0.5 for half points."),
            )
            mark_as_having_default([self.fields[f"factor_{each.pk}"]])
            self.fields[f"points_{each.pk}"] = PointsField(label=_("Points of its own"), initial=each.points)
            for name in self.named:
                self.fields[f"{name}_{each.pk}"] = forms.ChoiceField(
                    label=capfirst(bonus_label(name.removesuffix("_by"))),
                    choices=[("", _("nobody")), *((who.pk, str(who)) for who in drivers.get(each.pk, ()))],
                    required=False,
                    initial=getattr(each, f"{name}_id"),
                )

    def rows(self) -> list[tuple[Round, list[forms.BoundField]]]:
        """Return the rounds with their fields."""
        names = ("factor", "points", *self.named)
        return [(each, [self[f"{name}_{each.pk}"] for name in names]) for each in self.rounds]

    def scoring(self) -> dict[int, RoundScoring]:
        """Return the argument for adjusting.change_round_scoring."""
        said = self.cleaned_data
        return {
            each.pk: RoundScoring(
                factor=100 if said[f"factor_{each.pk}"] is None else int(said[f"factor_{each.pk}"] * 100),
                points=tuple(said[f"points_{each.pk}"]),
                fastest_lap_by=self._named(each, "fastest_lap_by"),
                pole_by=self._named(each, "pole_by"),
            )
            for each in self.rounds
        }

    def _named(self, each: Round, name: str) -> int | None:
        kept: int | None = getattr(each, f"{name}_id")
        return int(self.cleaned_data[f"{name}_{each.pk}"] or 0) or None if name in self.named else kept


class PointsByHandForm(forms.Form):
    """Points that officials give to a driver or a team, or take."""

    who = forms.ChoiceField(label=gettext_lazy("To whom"))
    points = NumberField(
        label=gettext_lazy("Points"),
        required=True,
        min_value=-MOST_POINTS,
        max_value=MOST_POINTS,
        help_text=gettext_lazy("Below zero to take points: -5."),
    )
    round = forms.ChoiceField(label=gettext_lazy("Round"), required=False)
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=500, validators=[one_line])

    def __init__(
        self, *args: Any, drivers: Sequence[User], teams: Sequence[Team], rounds: Sequence[Round], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        fields["who"].choices = [
            ("", _("choose a driver or a team")),
            (_("Drivers"), [(f"driver {who.pk}", str(who)) for who in drivers]),
            *([(_("Teams"), [(f"team {team.pk}", team.name) for team in teams])] if teams else []),
        ]
        fields["round"].choices = [("", _("no round in particular")), *((each.pk, str(each)) for each in rounds)]
        self.drivers = {f"driver {who.pk}": who for who in drivers}
        self.teams = {f"team {team.pk}": team for team in teams}
        self.by_round = {str(each.pk): each for each in rounds}

    def given(self) -> dict[str, Any]:
        """Return the arguments for adjusting.give_points."""
        said = self.cleaned_data
        return {
            "points": int(said["points"] * POINT),
            "reason": said["reason"],
            "driver": self.drivers.get(said["who"]),
            "team": self.teams.get(said["who"]),
            "round": self.by_round.get(said["round"]),
        }


class TeamsForm(forms.Form):
    """The names of the teams, and new teams, one in each line."""

    def __init__(self, *args: Any, teams: Sequence[Team], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.teams = teams
        for number, team in enumerate(teams, 1):
            self.fields[f"team_{team.pk}"] = forms.CharField(
                label=_("Team %(number)d") % {"number": number}, max_length=60, required=False, initial=team.name
            )
        self.fields["teams"] = forms.CharField(
            label=_("More teams"),
            widget=forms.Textarea(attrs={"rows": 4}),
            required=False,
            max_length=4000,
            help_text=_("One per line. If you clear a name above, that team is removed; its drivers stay without one."),
        )

    def names(self) -> dict[int, str]:
        """Return names by team id."""
        return {team.pk: self.cleaned_data[f"team_{team.pk}"] for team in self.teams}

    def more(self) -> list[str]:
        """Return the new teams."""
        return lines(self.cleaned_data["teams"])


class RegistrationForm(forms.Form):
    """A driver's registration for a season: crew, class, and team where it may be chosen."""

    crew = forms.CharField(
        label=gettext_lazy("Crew"),
        max_length=80,
        validators=[one_line],
        help_text=gettext_lazy("Driver and codriver, as shown on the start list."),
    )

    def __init__(
        self,
        *args: Any,
        championship: Championship,
        registration: Registration | None = None,
        team: bool = True,
        **kwargs: Any,
    ) -> None:
        said = {name: getattr(registration, name, "") for name in ("crew", "car_class", "start_number")}
        kwargs["initial"] = {**said, "team": getattr(registration, "team_id", None), **kwargs.get("initial", {})}
        super().__init__(*args, **kwargs)
        if championship.classes and not championship.divisions:
            choices = [("", _("choose a class")), *((name, name) for name in championship.classes)]
            self.fields["car_class"] = forms.ChoiceField(label=_("Car class"), choices=choices)
        if team:
            self.fields["team"] = forms.ModelChoiceField(
                label=_("Team"), queryset=championship.teams.all(), required=False, empty_label=_("no team")
            )


class AnyRegistrationForm(RegistrationForm):
    """A registration of any driver by an organiser, with a start number kept for the season."""

    start_number = forms.IntegerField(
        label=gettext_lazy("Start number"),
        min_value=1,
        max_value=999,
        required=False,
        help_text=gettext_lazy("Kept for the whole season; empty for the lowest free one at each rally."),
    )

    def __init__(self, *args: Any, championship: Championship, **kwargs: Any) -> None:
        super().__init__(*args, championship=championship, **kwargs)
        if kwargs.get("registration") is None:
            registered = championship.registrations.filter(left_at=None).values("driver")
            drivers = User.objects.filter(
                memberships__club=championship.club_id, memberships__roles__contains=[Role.DRIVER]
            ).exclude(pk__in=registered)
            self.fields["driver"] = forms.ModelChoiceField(
                label=_("Driver"), queryset=drivers.order_by("name", "pk"), empty_label=_("choose a driver")
            )
        if championship.divisions:
            divisions = [("", _("no division")), *((name, name) for name in championship.divisions)]
            self.fields["car_class"] = forms.ChoiceField(label=_("Division"), choices=divisions, required=False)
        self.order_fields(["driver", "crew", "car_class", "team", "start_number"])


class DeleteForm(forms.Form):
    """The name of the object to delete, typed to confirm."""

    name = forms.CharField(label=gettext_lazy("Type its name to confirm"), max_length=80)

    def __init__(self, *args: Any, name: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].help_text = name
        self.fields["name"].widget.attrs["autocomplete"] = "off"


class DeleteChampionshipForm(DeleteForm):
    """The name of the championship to delete, and whether its rallies are deleted too."""

    rallies_too = forms.BooleanField(
        label=gettext_lazy("Delete its rallies as well"),
        required=False,
        help_text=gettext_lazy("Otherwise they stay as rallies of the club."),
    )
