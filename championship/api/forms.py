"""The form for a new token."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from championship.accounts.models import User
from championship.accounts.text import one_line
from championship.api.models import LONGEST_NAME
from championship.api.scopes import FOR_BOTS, Scope
from championship.api.services import LONGEST_LIFE
from championship.clubs import selectors as clubs
from championship.clubs.models import Club

USUAL_DAYS = 90


class TokenForm(forms.Form):
    """The name of the token, its scopes, its club and its lifetime."""

    name = forms.CharField(
        label=_("Name of the program"),
        max_length=LONGEST_NAME,
        validators=[one_line],
        help_text=_("The logs of your clubs show this name for what the program does."),
    )
    scopes = forms.MultipleChoiceField(
        label=_("It may"), widget=forms.CheckboxSelectMultiple, help_text=_("Never more than you may do yourself.")
    )
    club = forms.ChoiceField(label=_("For the club"), required=False)
    days = forms.IntegerField(
        label=_("Valid for how many days"), min_value=1, max_value=LONGEST_LIFE, required=False, initial=USUAL_DAYS,
        help_text=_("Empty: valid until you revoke it."),
    )  # fmt: skip

    def __init__(self, data: Any = None, *, person: User, **how: Any) -> None:
        super().__init__(data, **how)
        self.clubs: dict[str, Club] = {each.club.slug: each.club for each in clubs.clubs_of(person)}
        choices = [choice for choice in Scope.choices if not person.is_bot or choice[0] in FOR_BOTS]
        self.fields["scopes"].choices = choices  # type: ignore[attr-defined]
        named = [(slug, club.name) for slug, club in self.clubs.items()]
        self.fields["club"].choices = [("", _("all my clubs")), *named]  # type: ignore[attr-defined]

    def clean_club(self) -> Club | None:
        return self.clubs.get(self.cleaned_data["club"])
