"""The form with a person's own details."""

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from championship.accounts import zones
from championship.accounts.models import User
from championship.accounts.text import one_line


class ReaderForm(forms.Form):
    """Name, language and time zone: for the profile, and part of signing up."""

    name = forms.CharField(
        label=pgettext_lazy("person", "Name"),
        max_length=60,
        validators=[one_line],
        help_text=_("How other drivers see you."),
        widget=forms.TextInput(attrs={"autocomplete": "nickname"}),
    )
    language = forms.ChoiceField(label=_("Language"), choices=User.Language.choices)
    time_zone = forms.ChoiceField(
        label=_("Time zone"),
        choices=zones.grouped,
        help_text=_("Deadlines and times are shown in this zone."),
    )
