"""Forms about rounds of a season: which ones a driver nominates, shared cars, points of classes and games; and the name
of a template.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from championship import catalogue
from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.platform.refusals import Refused
from championship.rallies.clock.timekeeping_forms import mark_as_having_default
from championship.rallies.models import Entry, Rally
from championship.seasons.models import Championship, Round
from championship.seasons.number_fields import PointsField
from championship.seasons.schemes import checked_points


class NominationForm(forms.Form):
    """The rounds that a driver nominates. Without `all_rounds`, those that have started cannot be changed."""

    rounds = forms.MultipleChoiceField(
        label=gettext_lazy("Nominated rounds"), required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(
        self, *args: Any, rounds: Sequence[Round], nominated: Sequence[int], most: int, all_rounds: bool, **kwargs: Any
    ) -> None:
        kwargs["initial"] = {"rounds": [str(pk) for pk in nominated]}
        super().__init__(*args, **kwargs)
        self.open = [each for each in rounds if all_rounds or each.rally.status == Rally.Status.ENTRIES]
        self.kept = {each.pk for each in rounds if each not in self.open} & set(nominated)
        self.kept_rounds = [each for each in rounds if each.pk in self.kept]
        field: Any = self.fields["rounds"]
        field.choices = [(str(each.pk), str(each)) for each in self.open]
        field.help_text = _("At most %(n)d, with those that have started.") % {"n": most}

    def chosen(self) -> set[int]:
        """Return the ids of the rounds, with those that have started."""
        return self.kept | {int(pk) for pk in self.cleaned_data["rounds"]}


class SharedCarsForm(forms.Form):
    """Who shared the car of each entry of a round."""

    def __init__(
        self,
        *args: Any,
        entries: Sequence[Entry],
        drivers: Sequence[User],
        shared: Mapping[int, int],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.entries = entries
        for entry in entries:
            choices = [("", _("nobody")), *((who.pk, str(who)) for who in drivers if who.pk != entry.driver_id)]
            self.fields[f"shared_{entry.pk}"] = forms.ChoiceField(
                label=_("%(crew)s shared the car with") % {"crew": entry.crew},
                choices=choices,
                required=False,
                initial=shared.get(entry.pk, ""),
            )
        mark_as_having_default([self.fields[f"shared_{entry.pk}"] for entry in entries])

    def shares(self) -> dict[int, int | None]:
        """Return the argument for nominating.share_cars."""
        return {each.pk: int(self.cleaned_data[f"shared_{each.pk}"] or 0) or None for each in self.entries}


class TablesForm(forms.Form):
    """Points of their own for classes, and for the rounds of a game. Fields are `class_<n>` and `game_<name>`."""

    def __init__(self, *args: Any, championship: Championship, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.championship = championship
        of_classes, of_games = (championship.further.get(name, {}) for name in ("classes", "games"))
        for number, name in enumerate(championship.classes, 1):
            self._add(f"class_{number}", _("In %(name)s") % {"name": name}, of_classes.get(name, {}))
        for game in catalogue.names():
            self._add(
                f"game_{game}", _("In rounds of %(game)s") % {"game": catalogue.get(game)}, of_games.get(game, {})
            )

    def _add(self, field: str, label: str, said: Mapping[str, Any]) -> None:
        self.fields[field] = PointsField(label=label, initial=said.get("points", []))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for field, points in list(cleaned.items()):
            if points:
                try:
                    cleaned[field] = checked_points(points, field=field)
                except Refused as refusal:
                    self.add_error(field, str(refusal.message))
        return cleaned

    def further(self) -> dict[str, Any]:
        """Return the rest of the scheme with these points."""
        kept = {name: value for name, value in self.championship.further.items() if name not in ("classes", "games")}
        classes = {
            name: {"points": points}
            for number, name in enumerate(self.championship.classes, 1)
            if (points := self.cleaned_data[f"class_{number}"])
        }
        games = {
            game: {"points": points} for game in catalogue.names() if (points := self.cleaned_data[f"game_{game}"])
        }
        return kept | ({"classes": classes} if classes else {}) | ({"games": games} if games else {})


class TemplateForm(forms.Form):
    """The name of a template."""

    name = forms.CharField(
        label=gettext_lazy("Name of the template"),
        max_length=80,
        validators=[one_line],
        help_text=gettext_lazy("A template of the same name is replaced."),
    )
