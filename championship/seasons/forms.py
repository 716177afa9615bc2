"""The forms of a season."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from championship.accounts.text import one_line
from championship.clubs.models import Club
from championship.rallies.models import Rally
from championship.refusals import Refused
from championship.seasons import points as schemes
from championship.seasons import selectors


class ChampionshipForm(forms.Form):
    """Name and points scheme."""

    name = forms.CharField(label=_("Name"), max_length=80, validators=[one_line])
    points = forms.CharField(
        label=_("Points"),
        max_length=300,
        help_text=_("For the first place, the second and so on, with commas between."),
        initial=", ".join(map(str, schemes.DEFAULT)),
    )

    def clean_points(self) -> list[int]:
        try:
            return schemes.read(self.cleaned_data["points"])
        except Refused as refusal:
            raise ValidationError(str(refusal.message), code="points") from refusal


class RoundForm(forms.Form):
    """A rally that stands already becomes a round."""

    rally = forms.ModelChoiceField(label=_("Rally"), queryset=Rally.objects.none())

    def __init__(self, *args: Any, club: Club, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        fields["rally"].queryset = selectors.rallies_without_round(club)
