"""Forms of divisions: their rules, who stands in which, the next season, and the list of reserves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.clubs.models import Club, Role
from championship.rallies.clock.timekeeping_forms import mark_as_having_default
from championship.seasons.divisions.models import LONGEST_ANSWER, LONGEST_WAIT, MOST_PLACES
from championship.seasons.divisions.services import MOST_MOVING
from championship.seasons.models import Championship, DivisionRules, Registration
from championship.seasons.wizard_forms import lines


class RulesForm(forms.Form):
    """The divisions of a season, and how they are kept."""

    names = forms.CharField(
        label=gettext_lazy("Divisions"),
        widget=forms.Textarea(attrs={"rows": 4}),
        required=False,
        max_length=400,
        help_text=gettext_lazy(
            "One per line, the highest first. They are the classes of the season. Empty: no divisions. As many "
            "lines as before: they are renamed."
        ),
    )
    up = forms.IntegerField(label=gettext_lazy("Go up after the season"), min_value=0, max_value=MOST_MOVING)
    down = forms.IntegerField(label=gettext_lazy("Go down after the season"), min_value=0, max_value=MOST_MOVING)
    places = forms.IntegerField(
        label=gettext_lazy("Places in each division"),
        min_value=0,
        max_value=MOST_PLACES,
        help_text=gettext_lazy(
            "Free places are offered to reserves. 0: a division takes any number, nothing is offered."
        ),
    )
    start_lists = forms.ChoiceField(label=gettext_lazy("Start lists"), choices=DivisionRules.Lists.choices)
    answer_hours = forms.IntegerField(
        label=gettext_lazy("Hours to answer an offer"), min_value=1, max_value=LONGEST_ANSWER
    )
    renews_days = forms.IntegerField(
        label=gettext_lazy("The clock makes the next season, days after the last round"),
        min_value=0,
        max_value=LONGEST_WAIT,
        required=False,
        help_text=gettext_lazy(
            "Leave time for protests. The season must run by itself. Empty: an organiser makes the next season."
        ),
    )

    def __init__(self, *args: Any, championship: Championship, rules: DivisionRules, **kwargs: Any) -> None:
        said = championship.further.get("divisions", {})
        kwargs["initial"] = {
            "names": "\n".join(championship.divisions),
            "up": said.get("up", 1),
            "down": said.get("down", 1),
            **{name: getattr(rules, name) for name in ("places", "start_lists", "answer_hours", "renews_days")},
        }
        super().__init__(*args, **kwargs)
        mark_as_having_default([self.fields["start_lists"]])

    def given(self) -> dict[str, Any]:
        """Return the arguments for divisions.services.set_rules."""
        return {**self.cleaned_data, "names": lines(self.cleaned_data["names"])}


class DivisionsForm(forms.Form):
    """A division for each driver. Fields are `division_<id>`, by the id of the registration or the driver."""

    def __init__(
        self, *args: Any, names: Sequence[str], who: Mapping[int, User], stand: Mapping[int, str], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.who = who
        for pk, driver in who.items():
            own = stand.get(pk, "")
            choices = [("", _("no division")), *((name, name) for name in names)]
            self.fields[f"division_{pk}"] = forms.ChoiceField(
                label=str(driver), choices=choices, required=False, initial=own if own in names else ""
            )
        mark_as_having_default([self.fields[f"division_{pk}"] for pk in who])

    def rows(self) -> list[forms.BoundField]:
        """Return the fields of the drivers."""
        return [self[f"division_{pk}"] for pk in self.who]

    def chosen(self) -> dict[int, str]:
        """Return the divisions by id."""
        return {pk: self.cleaned_data[f"division_{pk}"] for pk in self.who}


class NextSeasonForm(DivisionsForm):
    """The next season: its name, its first day, and the division of each driver."""

    name = forms.CharField(label=gettext_lazy("Name of the next season"), max_length=80, validators=[one_line])
    calendar = forms.BooleanField(
        label=gettext_lazy("With the same rounds again"),
        required=False,
        initial=True,
        help_text=gettext_lazy("Entries are open at once, unless the clock of the season runs."),
    )
    first_day = forms.DateField(
        label=gettext_lazy("First round on"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=gettext_lazy("The others move by as many days. Empty: the same days a year later."),
    )

    def plain_fields(self) -> list[forms.BoundField]:
        """Return the fields beside the drivers."""
        return [self[name] for name in ("name", "calendar", "first_day")]


class ReserveForm(forms.Form):
    """A driver for the list of reserves. `choose`: an organiser chooses who."""

    crew = forms.CharField(label=gettext_lazy("Crew"), max_length=80, validators=[one_line])

    def __init__(self, *args: Any, championship: Championship, choose: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if choose:
            self.fields["driver"] = forms.ModelChoiceField(
                label=_("Driver"), queryset=without_place(championship), empty_label=_("choose a driver")
            )
            self.fields["crew"].required = False
            self.fields["crew"].help_text = _("Empty: the name of the driver.")
        choices = [("", _("any division")), *((name, name) for name in championship.divisions)]
        self.fields["division"] = forms.ChoiceField(label=_("Division"), choices=choices, required=False)
        mark_as_having_default([self.fields["division"]])
        self.order_fields(["driver", "crew", "division"])


def without_place(championship: Championship) -> Any:
    """Return the drivers of the club who stand in no division and are no reserves, by name."""
    club: Club = championship.club
    placed = Registration.objects.filter(championship=championship, left_at=None).exclude(car_class="")
    drivers = User.objects.filter(memberships__club=club, memberships__roles__contains=[Role.DRIVER])
    listed = championship.reserves.values("driver")
    return drivers.exclude(pk__in=placed.values("driver")).exclude(pk__in=listed).order_by("name", "pk")
