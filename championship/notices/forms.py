"""The switches on the profile page."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from championship.accounts.models import User
from championship.notices import kinds, selectors


class SwitchesForm(forms.Form):
    """Which mails somebody wants."""

    on = forms.MultipleChoiceField(label=_("Send me a mail when"), required=False, widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, person: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        muted = selectors.muted_kinds(person)
        self.fields["on"].choices = [(kind.name, kind.switch) for kind in kinds.switchable()]  # type: ignore[attr-defined]
        self.fields["on"].initial = [kind.name for kind in kinds.switchable() if kind.name not in muted]
